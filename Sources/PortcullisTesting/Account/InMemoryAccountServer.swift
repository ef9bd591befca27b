public import PortcullisCore
internal import Synchronization

/// The server's side of one person's account, in memory: several devices share it, each through an
/// ``InMemoryPasscodeAccount``.
///
/// It keeps the passcode itself, as no real server may.
public final class InMemoryAccountServer: Sendable {
    /// How long a code is good, how often it can be tried, and how often one can be requested in that time.
    public struct ResetPolicy: Sendable, Hashable {
        /// How long a code is good.
        public var validity: Duration
        /// How many tries a code has.
        public var tries: Int
        /// How many requests are taken within ``validity``.
        public var requests: Int

        /// Fifteen minutes, five tries, three requests unless told otherwise.
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

    /// The server's time.
    public let clock: any LockClock
    let delays: [Duration]
    let resets: ResetPolicy
    let state = Mutex(State())

    /// An account without a passcode.
    ///
    /// - Parameters:
    ///   - clock: the server's time.
    ///   - delays: after the first wrong passcode in a row, the second, and so on; the last stands for all further
    ///     ones. Default: none four times, then a minute, then five.
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

    /// What a device would be told now.
    public var status: AccountPasscodeStatus { state.withLock { $0.status } }

    /// Whether the account has this passcode; counts nothing.
    public func holds(_ passcode: SecretBytes) -> Bool {
        state.withLock { $0.passcode?.matches(passcode) ?? false }
    }

    /// Wrong passcodes in a row.
    public var failures: Int { state.withLock { $0.throttle.failures } }

    /// The code that was mailed last; `nil` when none was.
    public var mailedCode: SecretBytes? { state.withLock { $0.code?.digits } }

    /// An administrator switches passcodes on or off.
    public func setEnabled(_ isEnabled: Bool) { state.withLock { $0.status.isEnabled = isEnabled } }

    /// Another device, or an administrator, records a timeout.
    public func setTimeout(_ timeout: AccountTimeout) { state.withLock { $0.status.timeout = timeout } }

    /// Another device sets or changes the passcode.
    public func replacePasscode(_ passcode: SecretBytes) {
        state.withLock { $0.replace(passcode, as: .random()) }
    }

    /// Another device switches the passcode off.
    public func removePasscode() { state.withLock { $0.replace(nil, as: .random()) } }

    /// The server loses everything, as one that was set up anew.
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
