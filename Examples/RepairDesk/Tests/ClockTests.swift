import ExampleSupport
import Foundation
import HTTPPasscodeAccount
import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import RepairShop
import Testing

@testable import repair_desk

/// A desk at which a person is signed in and has a passcode. Its clocks are moved, and its store changes or
/// fails. The server is out of reach.
@MainActor
@Suite("RepairDesk, its clock and its store", .timeLimit(.minutes(5)))
struct ClockTests {
    private static let passcode = "493817"
    private nonisolated static let year = Duration.seconds(365 * 86_400)
    private nonisolated static let timeout = Duration.seconds(15 * 60)

    private let clock = ManualClock()
    private let store = FailingSecretStore(InMemorySecretStore())
    private let desk: Desk

    init() throws {
        desk = try Desk(
            backends: Backends(
                secrets: store,
                sealer: FastPasscodeSealer(),
                clock: clock
            ),
            server: try #require(URL(string: "http://127.0.0.1:9")),
            transport: NoTransport(),
            idleTimeout: nil
        )
    }

    /// Runs a body while Anna is at the desk, on the dashboard.
    private func atTheDesk(_ body: () async throws -> Void) async throws {
        let anna = try await desk.session.begin(token: "t0ken").user
        let service = try service(of: anna)
        try await service.set(SecretBytes(copying: Self.passcode.utf8))
        let launch = Task { await desk.launch() }
        defer { launch.cancel() }
        try await wait("the dashboard") { isOpen }
        try await body()
    }

    /// The passcode service of another window on the same store.
    private func service(of user: UserID) throws -> PasscodeService {
        try PasscodeService(
            user: user,
            backends: desk.backends,
            session: desk.session,
            configuration: PasscodeConfiguration(appName: "RepairDesk", timeout: .accountPreset)
        )
    }

    private var isOpen: Bool { if case .page(let page) = desk.shown { !page.tabs.isEmpty } else { false } }

    private var isLogin: Bool {
        if case .page(let page) = desk.shown { page.title == "Staff Login" } else { false }
    }

    private var lockScreen: ScreenContent? {
        if case .screen(let content) = desk.shown, content.pad != nil { content } else { nil }
    }

    /// Waits until the condition holds. The desk brings it about by itself.
    private func wait(_ what: Comment, until isSo: () -> Bool) async throws {
        try #require(await BoundedWait.holds(isSo), what)
    }

    private func type(_ passcode: String) {
        for digit in passcode { desk.send(.digit(digit.wholeNumberValue ?? 0)) }
    }

    /// Leaves the desk, and comes back after something has happened to the clock.
    private func leave(while body: () async -> Void) async {
        await desk.phaseChanged(to: .background)
        #expect(!isOpen)
        await body()
        await desk.phaseChanged(to: .active)
    }

    private func setWall(by shift: Duration) async { await clock.setWall(clock.now.wall + shift) }

    @Test(
        "P-20: away, the timeout counts the time that passed, wherever the wall clock is set meanwhile",
        arguments: [year, .zero, .zero - year]
    )
    func away(_ shift: Duration) async throws {
        try await atTheDesk {
            await leave {
                await setWall(by: shift)
                await clock.advance(by: Self.timeout - .seconds(1))
            }
            #expect(isOpen)
            await leave {
                await clock.advance(by: Self.timeout)
                await setWall(by: shift)
            }
            #expect(lockScreen != nil)
        }
    }

    @Test("P-20: away, a sleep of the machine over the timeout counts, and one shorter than it does not")
    func asleep() async throws {
        try await atTheDesk {
            await leave { await clock.suspend(for: Self.timeout - .seconds(1)) }
            #expect(isOpen)
            await leave { await clock.suspend(for: Self.timeout) }
            #expect(lockScreen != nil)
        }
    }

    @Test("P-20: in front, a sleep of the machine over the timeout locks, and one shorter than it does not")
    func asleepInFront() async throws {
        try await atTheDesk {
            for (length, locks) in [(Self.timeout - .seconds(1), false), (Self.timeout, true)] {
                let start = clock.now
                await clock.suspend(for: length)
                await desk.wasAway(since: start)
                #expect(isOpen == !locks)
                #expect((lockScreen != nil) == locks)
            }
        }
    }

    @Test("P-20: a sleep of the machine while the window is out of sight ends with the window's return")
    func asleepAway() async throws {
        try await atTheDesk {
            await leave {
                let start = clock.now
                await clock.suspend(for: .seconds(60))
                await desk.wasAway(since: start)
                #expect(!isOpen)
                await clock.advance(by: Self.timeout - .seconds(61))
            }
            #expect(isOpen)
        }
    }

    @Test(
        "P-20: in front, no clock that is set locks, uncovers or ends anything",
        arguments: [year, .zero - year]
    )
    func inFront(_ shift: Duration) async throws {
        try await atTheDesk {
            await setWall(by: shift)
            await clock.advance(by: .seconds(120))
            #expect(isOpen)
            await leave { await setWall(by: .zero - shift) }
            #expect(isOpen)
        }
    }

    @Test(
        "P-24: while locked, no clock that is set or jumps uncovers anything",
        arguments: [year, .zero - year]
    )
    func locked(_ shift: Duration) async throws {
        try await atTheDesk {
            await desk.lock?.lock()
            #expect(lockScreen != nil)
            await setWall(by: shift)
            await clock.suspend(for: Self.year)
            await clock.advance(by: .seconds(120))
            #expect(lockScreen != nil)
            await leave { await setWall(by: .zero - shift) }
            #expect(lockScreen != nil)
            type(Self.passcode)
            try await wait("the dashboard") { isOpen }
        }
    }

    @Test(
        "P-7: a delay is served by the time that passes: no clock that is set shortens it or makes it last",
        arguments: [year, .zero - year]
    )
    func delay(_ shift: Duration) async throws {
        try await atTheDesk {
            await desk.lock?.lock()
            for number in 1...5 {
                let shakes = try #require(lockScreen).shakes
                type("11122\(number)")
                try await wait("an answer") { lockScreen?.shakes == shakes + 1 }
            }
            try await wait("the delay") { lockScreen?.message?.text == "Try again in 1 min" }
            await setWall(by: shift)
            await clock.advance(by: .seconds(30))
            await setWall(by: shift)
            await clock.advance(by: .seconds(29))
            type(Self.passcode)
            #expect(lockScreen?.pad?.isEnabled == false)
            await leave { await setWall(by: shift) }
            #expect(lockScreen?.pad?.isEnabled == false)
            // The stored delay is the same as on the screen, which counts down by itself.
            #expect(try await desk.lock?.session.service.status().retryAfter == .seconds(1))
            await clock.advance(by: .seconds(1))
            try await wait("the pad") { lockScreen?.pad?.isEnabled == true }
            type(Self.passcode)
            try await wait("the dashboard") { isOpen }
        }
    }

    @Test("P-33: a lock whose passcode another window removes opens nothing, and leads to the login")
    func lostPasscode() async throws {
        try await atTheDesk {
            await desk.lock?.lock()
            #expect(lockScreen != nil)
            var wasOpen = false
            try await service(of: try #require(UserID("anna"))).clearAll()
            try await wait("the login") {
                wasOpen = wasOpen || isOpen
                return isLogin
            }
            #expect(!wasOpen)
            #expect(await desk.session.current == nil)
        }
    }

    @Test("P-33: a session that the store could not remove at the log-out is removed a minute later")
    func removedLate() async throws {
        try await atTheDesk {
            let name = try SecretName("session", in: SecretNamespace("repair-desk"))
            store.failNext(.remove, with: SecretStoreError(code: .lockTimeout, message: "busy"))
            await desk.signOut()
            try await wait("the login") { isLogin }
            let isKept = try await store.read(name) != nil
            #expect(isKept)
            await clock.advance(by: .seconds(60))
            #expect(try await BoundedWait.holds { try await store.read(name) == nil })
        }
    }
}

/// A transport that never connects.
private struct NoTransport: HTTPTransport {
    func check(_ server: URL) throws(HTTPTransportError) {}

    func send(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportAnswer {
        throw HTTPTransportError(.unreachable, mayBeCarriedOut: false, message: "there is no line")
    }
}
