import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

import Observation

@MainActor
func follow(_ lock: AppLock, draw: (LockCover, ScreenContent?) -> Void) async {
    for await (cover, content) in Observations({ (lock.cover, lock.lockScreen?.content) }) {
        draw(cover, content)
    }
}

actor Visitor {
    private let driver: LockDriver
    private var sheets: [(number: Int, screen: any ContentDriver)] = []
    private var shown = 0
    private(set) var page = ""

    init(_ session: LockSession) { driver = LockDriver(session: session) }

    func start() async {
        driver.host.changed = { [unowned self] in assumeIsolated { $0.draw() } }
        await driver.start()
        draw()
    }

    func follow() async { for await _ in await driver.session.states() { await driver.updateAtOnce() } }

    func came(back: Bool) async { await driver.phaseChanged(to: back ? .active : .background) }

    func typed(_ digit: Int) { front?.send(.digit(digit), isolation: self) }

    func offer() {
        let (effects, number) = (ScreenEffects(service: driver.session.service), shown)
        show(effects.firstSetUpDriver { [weak self] _ in await self?.close(number) })
    }

    private var front: (any ContentDriver)? {
        driver.screen ?? (driver.cover == .none ? sheets.last?.screen : nil)
    }

    private func show(_ sheet: any ContentDriver) {
        sheet.changed = { [unowned self] in assumeIsolated { $0.draw() } }
        sheets.append((shown, sheet))
        shown += 1
        draw()
    }

    /// Takes a screen away, and those over it.
    private func close(_ number: Int) {
        guard let place = sheets.firstIndex(where: { $0.number == number }) else { return }
        while sheets.count > place { sheets.removeLast().screen.dismiss() }
        draw()
    }

    private func draw() { page = front.map { "\($0.content.title) \($0.content.message?.text ?? "")" } ?? "" }
}

extension Visitor {
    /// Types digits, and offers a passcode again before their effects are carried out.
    fileprivate func typedAndOffered(_ digits: [Int]) {
        for digit in digits { typed(digit) }
        offer()
    }
}

/// The code of the guide about renderers, as it shows it.
@Suite("Guides: drawing screens", .timeLimit(.minutes(5)))
struct DrawingGuide {
    @Test("P-24: an observer without SwiftUI draws the cover and the lock screen")
    @MainActor
    func observer() async throws {
        let service = try guideService()
        try await service.set(SecretBytes(copying: "834912".utf8))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        let drawn = AsyncStream.makeStream(of: (cover: LockCover, title: String?).self)
        let following = Task {
            await follow(lock) { cover, content in drawn.continuation.yield((cover, content?.title)) }
        }
        var next = drawn.stream.makeAsyncIterator()
        #expect(await next.next()?.cover == LockCover.none)
        await lock.lock()
        var last = await next.next()
        while last?.title == nil { last = await next.next() }
        #expect(last?.cover == .lockScreen && last?.title == "Enter Passcode")
        following.cancel()
    }

    @Test("P-32: a visitor of a server has a lock on an actor of its own")
    func visitor() async throws {
        let service = try guideService()
        try await service.set(SecretBytes(copying: "834912".utf8))
        let session = LockSession(service: service)
        let visitor = Visitor(session)
        await visitor.start()
        #expect(await visitor.page == "")
        await session.lock()
        await visitor.came(back: true)
        #expect(await visitor.page == "Enter Passcode ")
        for digit in [1, 1, 1, 1, 1, 1] { await visitor.typed(digit) }
        try await BoundedWait.until(every: .milliseconds(1)) {
            await visitor.page == "Enter Passcode Incorrect passcode"
        }
    }

    @Test("P-32: other screens of the actor lie over its page, under the lock screen, until they have ended")
    func sheets() async throws {
        let service = try guideService()
        let session = LockSession(service: service)
        let visitor = Visitor(session)
        await visitor.start()
        #expect(await visitor.page == "")
        await visitor.offer()
        let offer = await visitor.page
        #expect(offer != "")
        await visitor.came(back: false)
        #expect(await visitor.page == "", "the content and its screens are covered")
        await visitor.came(back: true)
        #expect(await visitor.page == offer)
        for digit in [8, 3, 4, 9, 1, 2, 8, 3, 4, 9, 1, 2] { await visitor.typed(digit) }
        try await BoundedWait.until(every: .milliseconds(1)) { await visitor.page == "" }
        #expect(try await service.status().isSet)
    }

    @Test("P-32: a screen that ends under another one is taken away with it")
    func endsUnder() async throws {
        let service = try guideService()
        let visitor = Visitor(LockSession(service: service))
        await visitor.start()
        await visitor.offer()
        await visitor.typedAndOffered([8, 3, 4, 9, 1, 2, 8, 3, 4, 9, 1, 2])
        try await BoundedWait.until(every: .milliseconds(1)) { await visitor.page == "" }
        #expect(try await service.status().isSet)
    }
}
