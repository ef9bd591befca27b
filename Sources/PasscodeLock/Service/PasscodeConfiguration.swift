public import PortcullisCore

/// The behaviour of a passcode lock in an app.
public struct PasscodeConfiguration: Sendable, Hashable {
    /// The state of the lock when the app starts.
    public enum LaunchPolicy: Sendable, Hashable {
        /// The app is locked if it was locked when its process ended, or if it has been in the background for
        /// at least the timeout.
        case resume
        /// The app is locked if it has a passcode.
        case always
        /// The app is not locked, unless the passcode's record cannot be read.
        case never
    }

    /// The app's name in a text such as "Unlock Ledger".
    public var appName: String
    /// The format of new passcodes. A passcode that is already set keeps its format.
    public var format: PasscodeFormat
    /// The treatment of easily guessed passcodes.
    public var weakPasscodes: WeakPasscodePolicy
    /// The consequences of wrong passcodes. A passcode that is already set keeps its policy; see
    /// ``PasscodeService/setThrottle(_:)``.
    public var throttle: ThrottlePolicy
    /// The greatest difference between the wall clocks of the machines that use the same passcode; zero for
    /// one machine.
    ///
    /// With ``ThrottlePolicy/Authority/server``, each delay lasts longer by this margin. So a delay does not
    /// end early on a machine whose clock is ahead. The margin also applies to passcodes that are already
    /// set.
    public var clockMargin: Duration
    /// The lock timeout that a new passcode gets. Use ``LockTimeout/accountPreset`` for a passcode with an
    /// account.
    public var timeout: LockTimeout
    /// The state of the lock when the app starts.
    public var launch: LaunchPolicy
    /// The time without activity after which the app locks; `nil`: the app does not lock for lack of
    /// activity. In the background this time does not count.
    public var idleTimeout: Duration?
    /// The namespaces whose items ``ThrottlePolicy/LimitAction/erase`` removes.
    public var secretsToErase: [SecretNamespace]
    /// Whether unlocking must return the key, which a sealed session needs. If `true`, biometrics that
    /// release no key are not offered.
    public var unlockNeedsKey: Bool
    /// Whether this process carries out the action of ``ThrottlePolicy/limit``. Use `false` in a process that
    /// cannot sign the person out of the app and cannot erase the app's secrets. A tool that opens the app's
    /// store is such a process.
    ///
    /// If the limit is reached in a process with `false`, the action stays due. No process tries a passcode
    /// any more, and nothing is removed. The next check of a passcode in a process with `true` carries out
    /// the action.
    ///
    /// In a process with `false`, ``PasscodeService/logOut()`` throws if the passcode has a limit. A log-out
    /// removes the record, and with the record an action that is due.
    public var carriesOutLimitAction: Bool

    /// Makes a configuration. All parameters except the app's name have the defaults of the specification.
    public init(
        appName: String,
        format: PasscodeFormat = .standard,
        weakPasscodes: WeakPasscodePolicy = .warn,
        throttle: ThrottlePolicy = .escalating,
        clockMargin: Duration = .zero,
        timeout: LockTimeout = .devicePreset,
        launch: LaunchPolicy = .resume,
        idleTimeout: Duration? = nil,
        secretsToErase: [SecretNamespace] = [],
        unlockNeedsKey: Bool = false,
        carriesOutLimitAction: Bool = true
    ) {
        self.appName = appName
        self.format = format
        self.weakPasscodes = weakPasscodes
        self.throttle = throttle
        self.clockMargin = clockMargin
        self.timeout = timeout
        self.launch = launch
        self.idleTimeout = idleTimeout
        self.secretsToErase = secretsToErase
        self.unlockNeedsKey = unlockNeedsKey
        self.carriesOutLimitAction = carriesOutLimitAction
    }
}
