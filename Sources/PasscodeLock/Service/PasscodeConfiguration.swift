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
    /// How much the wall clocks of the machines that use the same passcode can differ; zero for one machine.
    ///
    /// A delay of a policy with ``ThrottlePolicy/Authority/server`` lasts longer by this margin, so that
    /// nothing is gained by asking another machine. The margin holds for passcodes that are already set, too.
    public var clockMargin: Duration
    /// The lock timeout that a new passcode gets. Use ``LockTimeout/accountPreset`` for a passcode with an
    /// account.
    public var timeout: LockTimeout
    /// The state of the lock when the app starts.
    public var launch: LaunchPolicy
    /// The time without activity after which an app that is not in the background locks; `nil`: the app does
    /// not lock for lack of activity.
    public var idleTimeout: Duration?
    /// The namespaces whose items ``ThrottlePolicy/LimitAction/erase`` removes.
    public var secretsToErase: [SecretNamespace]
    /// Whether unlocking must return the key, which a sealed session needs. If `true`, biometrics that
    /// release no key are not offered.
    public var unlockNeedsKey: Bool
    /// Whether this process carries out the action of ``ThrottlePolicy/limit``. It is `false` in a process that
    /// can neither sign the person out of the app nor erase the app's secrets, such as a tool that opens the
    /// app's store.
    ///
    /// If the limit is reached in such a process, the action stays due. No process tries a passcode any more,
    /// and nothing is removed. The next check of a passcode in a process with `true` carries out the action.
    /// ``PasscodeService/logOut()`` throws in such a process if the passcode has a limit, because the removal
    /// of the record would also remove an action that is due.
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
