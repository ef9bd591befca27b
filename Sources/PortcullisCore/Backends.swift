/// The adapters that an app is built on, one for each port.
///
/// Every feature takes this value, or one port of it, in its initialiser. A port that a host does not use
/// keeps its default, ``Unavailable``. The calls of ``Unavailable`` throw the port's own error or return an
/// empty result. A test can replace a single port.
public struct Backends: Sendable {
    /// Stores secrets.
    public var secrets: any SecretStore
    /// Asks for a fingerprint, a face or the like.
    public var biometrics: any BiometricAuthenticator
    /// Keeps chosen apps from being used.
    public var shield: any ShieldController
    /// Starts and ends activities at their times.
    public var scheduler: any ActivityScheduler
    /// Shows notifications to the person.
    public var notifier: any Notifier
    /// Seals keys under passcodes.
    public var sealer: any PasscodeSealer
    /// Tells the time.
    public var clock: any LockClock

    /// Makes the set of adapters for an app.
    ///
    /// - Parameters:
    ///   - secrets: stores secrets; by default each call throws an error.
    ///   - biometrics: asks for a fingerprint, a face or the like; by default there are no biometrics.
    ///   - shield: keeps chosen apps from being used; by default the permission to shield apps is denied.
    ///   - scheduler: starts and ends activities; by default it refuses every activity.
    ///   - notifier: shows notifications to the person; by default it refuses every notification.
    ///   - sealer: seals keys under passcodes; by default it seals no key, so no passcode can be set.
    ///   - clock: tells the time. There is no default, because no lock works without a clock.
    public init(
        secrets: any SecretStore = Unavailable(),
        biometrics: any BiometricAuthenticator = Unavailable(),
        shield: any ShieldController = Unavailable(),
        scheduler: any ActivityScheduler = Unavailable(),
        notifier: any Notifier = Unavailable(),
        sealer: any PasscodeSealer = Unavailable(),
        clock: any LockClock
    ) {
        self.secrets = secrets
        self.biometrics = biometrics
        self.shield = shield
        self.scheduler = scheduler
        self.notifier = notifier
        self.sealer = sealer
        self.clock = clock
    }
}
