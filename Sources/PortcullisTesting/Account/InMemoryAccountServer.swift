public import PortcullisCore
internal import Synchronization

/// The server of one person's account, in memory. Several devices share it, each through an
/// ``InMemoryPasscodeAccount``.
///
/// It stores the passcode unhashed. A real server must not do that.
public final class InMemoryAccountServer: Sendable {
    /// The limits of reset codes: their validity, their tries, and the number of requests.
    public struct ResetPolicy: Sendable, Hashable {
        /// How long a code is valid.
        public var validity: Duration
        /// The number of tries that a code allows. Right and wrong tries count.
        public var tries: Int
        /// The number of requests for a code that the server accepts within any period of the length
        /// ``validity``.
        public var requests: Int

        /// Makes limits; by default fifteen minutes, five tries and three requests.
        public init(validity: Duration = .seconds(15 * 60), tries: Int = 5, requests: Int = 3) {
            self.validity = validity
            self.tries = tries
            self.requests = requests
        }
    }

    struct Code {
        var request: AccountCodeRequest
        var digits: SecretBytes
        var sent: Duration
        var tries = 0
        var isUsed = false
    }

    struct State {
        var passcode: SecretBytes?
        var status = AccountPasscodeStatus(hasPasscode: false, revision: nil)
        var throttle: (failures: Int, until: Duration) = (0, .zero)
        var code: Code?
        var requests: [Duration] = []
    }

    /// The server's clock.
    public let clock: any LockClock
    let delays: [Duration]
    let resets: ResetPolicy
    let state = Mutex(State())

    /// Makes an account without a passcode.
    ///
    /// - Parameters:
    ///   - clock: the server's clock.
    ///   - delays: the delay after the first wrong passcode, after the second in a row, and so on. The last
    ///     delay also applies to all further wrong passcodes. By default the first four wrong passcodes cause
    ///     no delay, the fifth causes a delay of one minute, and each further one a delay of five minutes.
    ///   - resets: the limits of reset codes.
    public init(
        clock: any LockClock,
        delays: [Duration] = [.zero, .zero, .zero, .zero, .seconds(60), .seconds(300)],
        resets: ResetPolicy = ResetPolicy()
    ) {
        self.clock = clock
        self.delays = delays
        self.resets = resets
    }

    /// The status that a device would get now.
    public var status: AccountPasscodeStatus { state.withLock { $0.status } }

    /// Whether this is the account's passcode. The call does not count as a try.
    public func holds(_ passcode: SecretBytes) -> Bool {
        state.withLock { $0.passcode?.matches(passcode) ?? false }
    }

    /// The number of wrong passcodes in a row.
    public var failures: Int { state.withLock { $0.throttle.failures } }

    /// The code that was mailed last; `nil` when no code was mailed.
    public var mailedCode: SecretBytes? { state.withLock { $0.code?.digits } }

    /// Switches passcodes on or off, as an administrator does.
    public func setEnabled(_ isEnabled: Bool) { state.withLock { $0.status.isEnabled = isEnabled } }

    /// Sets the timeout, as another device or an administrator does.
    public func setTimeout(_ timeout: AccountTimeout) { state.withLock { $0.status.timeout = timeout } }

    /// Sets or changes the passcode, as another device does.
    public func replacePasscode(_ passcode: SecretBytes) {
        state.withLock { $0.replace(passcode, as: .random()) }
    }

    /// Switches the passcode off, as another device does.
    public func removePasscode() { state.withLock { $0.replace(nil, as: .random()) } }

    /// Deletes the account's data, as if the server had been set up again.
    public func loseEverything() { state.withLock { $0 = State() } }
}

extension InMemoryAccountServer.State {
    mutating func replace(_ passcode: SecretBytes?, as revision: AccountRevision) {
        self.passcode = passcode
        status.hasPasscode = passcode != nil
        status.revision = revision
        throttle = (0, .zero)
    }
}
