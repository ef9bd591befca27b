import LockScreens
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("ScreenPresenter", .timeLimit(.minutes(5)))
@MainActor
struct ScreenPresenterTests {
    /// Adds numbers up, and has each asked for by an effect where it is told to.
    private struct Sum: ScreenModel {
        enum Event {
            case add(Int)
            case ask
        }
        struct Effect {}

        private(set) var content = 0

        mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
            guard case .add(let number) = event else { return [Effect()] }
            content += number
            return []
        }
    }

    /// A stream, and whether its listener has gone.
    private final class Source: Sendable {
        let stream: AsyncStream<Int>
        let continuation: AsyncStream<Int>.Continuation
        private let ended = Mutex(false)
        var isEnded: Bool { ended.withLock { $0 } }

        init() {
            (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            continuation.onTermination = { [weak self] _ in self?.ended.withLock { $0 = true } }
        }
    }

    private func presenter(
        perform: @escaping @MainActor (Sum.Effect) async -> Sum.Event? = { _ in nil }
    ) -> ScreenPresenter<Sum> {
        ScreenPresenter(Sum(), clock: ManualClock(), perform: perform)
    }

    @Test("a screen follows one stream at a time, until it is dismissed")
    func follows() async throws {
        let presenter = presenter()
        let sources = [Source(), Source(), Source()]
        presenter.follow({ sources[0].stream }, as: { .add($0) })
        sources[0].continuation.yield(1)
        try await BoundedWait.until { presenter.content == 1 }
        presenter.follow({ sources[1].stream }, as: { .add($0) })
        try await BoundedWait.until { sources[0].isEnded }
        sources[1].continuation.yield(10)
        try await BoundedWait.until { presenter.content == 11 }
        presenter.dismiss()
        try await BoundedWait.until { sources[1].isEnded }
        presenter.handle(.add(100))
        // A stream that is not asked for is not ended either.
        let isAsked = Mutex(false)
        presenter.follow(
            {
                isAsked.withLock { $0 = true }
                return sources[2].stream
            },
            as: { .add($0) }
        )
        for _ in 0..<100 { await Task.yield() }
        #expect(presenter.content == 11 && !isAsked.withLock { $0 })
    }

    @Test("a screen that goes follows nothing any more")
    func goes() async throws {
        let source = Source()
        var presenter: ScreenPresenter<Sum>? = presenter()
        presenter?.follow({ source.stream }, as: { .add($0) })
        source.continuation.yield(1)
        try await BoundedWait.until { presenter?.content == 1 }
        presenter = nil
        try await BoundedWait.until { source.isEnded }
    }

    @Test("a screen that was dismissed keeps nothing of what drove it")
    func letsGo() {
        final class Host {}
        var host: Host? = Host()
        weak let trace = host
        let presenter = presenter { [host] _ in
            withExtendedLifetime(host) { nil }
        }
        host = nil
        #expect(trace != nil)
        presenter.dismiss()
        #expect(trace == nil)
        presenter.handle(.ask)
    }

    @Test("a driver's host is told of a change beside a presenter too, which has the screen by then")
    func tellsBefore() {
        let driver = ScreenDriver(Sum(), clock: ManualClock()) { _ in nil }
        var presenter: ScreenPresenter<Sum>?
        var told: [Int?] = []
        driver.changed = { told.append(presenter?.content) }
        presenter = ScreenPresenter(driver)
        presenter?.handle(.add(1))
        presenter = nil
        driver.handle(.add(2))
        #expect(told == [1, nil])
    }

    @Test("what an effect answers is handled; the screen stays until then, where the effect is no wait")
    func answers() async throws {
        let gate = Source()
        var isBegun = false
        var presenter: ScreenPresenter<Sum>? = presenter { _ in
            isBegun = true
            for await number in gate.stream { return .add(number) }
            return nil
        }
        weak var screen: ScreenPresenter<Sum>?
        screen = presenter
        presenter?.handle(.ask)
        presenter = nil
        try await BoundedWait.until { isBegun }
        for _ in 0..<100 { await Task.yield() }
        #expect(screen != nil)
        gate.continuation.yield(1)
        try await BoundedWait.until { screen == nil }
    }
}
