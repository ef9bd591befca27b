public import PortcullisCore

/// How a passcode lock behaves in an app.
public struct PasscodeConfiguration: Sendable, Hashable {
    /// What happens to the lock when the app starts.
    public enum LaunchPolicy: Sendable, Hashable {
        /// Locked if it was locked, or in the background for at least the timeout, when it ended.
        case resume
        /// Locked whenever a passcode is set.
        case always
        /// Not locked.
        case never
    }

    /// The app's name in "Unlock <app name>".
    public var appName: String
    /// What new passcodes look like; a passcode that was set keeps the format it was set with.
    public var format: PasscodeFormat
    /// What to do with easily guessed passcodes.
    public var weakPasscodes: WeakPasscodePolicy
    /// What wrong passcodes lead to; recorded with a passcode when it is set.
    public var throttle: ThrottlePolicy
    /// The timeout a new passcode begins with; ``LockTimeout/accountPreset`` is what suits one that an account keeps.
    public var timeout: LockTimeout
    /// What happens when the app starts.
    public var launch: LaunchPolicy
    /// Locks after so long without activity while active; `nil`: never.
    public var idleTimeout: Duration?
    /// What ``ThrottlePolicy/LimitAction/erase`` removes.
    public var secretsToErase: [SecretNamespace]
    /// Whether unlocking must yield the key (a sealed session): then biometrics that only assert are not
    /// offered.
    public var unlockNeedsKey: Bool

    /// A configuration; everything but the app's name has the default of the specification.
    public init(
        appName: String,
        format: PasscodeFormat = .standard,
        weakPasscodes: WeakPasscodePolicy = .warn,
        throttle: ThrottlePolicy = .escalating,
        timeout: LockTimeout = .devicePreset,
        launch: LaunchPolicy = .resume,
        idleTimeout: Duration? = nil,
        secretsToErase: [SecretNamespace] = [],
        unlockNeedsKey: Bool = false
    ) {
        self.appName = appName
        self.format = format
        self.weakPasscodes = weakPasscodes
        self.throttle = throttle
        self.timeout = timeout
        self.launch = launch
        self.idleTimeout = idleTimeout
        self.secretsToErase = secretsToErase
        self.unlockNeedsKey = unlockNeedsKey
    }
}
