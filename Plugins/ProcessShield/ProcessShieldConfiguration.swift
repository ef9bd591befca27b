public import PortcullisCore

/// What a ``ProcessShield`` works on.
public struct ProcessShieldConfiguration: Sendable {
    /// The apps that there are.
    public var catalogue: DesktopCatalogue
    /// The ids of the users whose processes may be stopped.
    public var users: Set<UInt32>
    /// The folder of the process table.
    public var processFolder: String
    /// The folder at which the unified control groups are mounted.
    public var controlGroupFolder: String
    /// What becomes of an app that runs when its shield goes up, for those apps that ``defaultPolicy`` is not meant for.
    public var policies: [AppToken: StopPolicy]
    /// What becomes of all other apps that run when their shield goes up.
    public var defaultPolicy: StopPolicy
    /// How long an app that is asked to end has time to.
    public var grace: Duration
    /// Whether the kernel's process connector is used where it works; without it, opened files tell of starts.
    public var usesConnector: Bool
    /// Whether opened files tell of starts; without them all processes are looked at once a second.
    public var usesOpenings: Bool
    /// Whether starts are denied where this process has the right to.
    public var usesGate: Bool

    /// A configuration.
    ///
    /// - Parameters:
    ///   - catalogue: the apps that there are.
    ///   - users: the ids of the users whose processes may be stopped; a helper that runs as root names the person it
    ///     works for.
    ///   - processFolder: the folder of the process table.
    ///   - controlGroupFolder: the folder at which the unified control groups are mounted.
    ///   - policies: what becomes of an app that runs when its shield goes up, where it is not the default.
    ///   - defaultPolicy: what becomes of all other apps.
    ///   - grace: how long an app that is asked to end has time to; a call that puts a shield up waits for that.
    ///   - usesConnector: whether the kernel's process connector is used where it works.
    ///   - usesOpenings: whether opened files tell of starts where the connector does not.
    ///   - usesGate: whether starts are denied where this process has the right to.
    public init(
        catalogue: DesktopCatalogue,
        users: Set<UInt32>,
        processFolder: String = "/proc",
        controlGroupFolder: String = "/sys/fs/cgroup",
        policies: [AppToken: StopPolicy] = [:],
        defaultPolicy: StopPolicy = .freeze,
        grace: Duration = .seconds(2),
        usesConnector: Bool = true,
        usesOpenings: Bool = true,
        usesGate: Bool = true
    ) {
        self.catalogue = catalogue
        self.users = users
        self.processFolder = processFolder
        self.controlGroupFolder = controlGroupFolder
        self.policies = policies
        self.defaultPolicy = defaultPolicy
        self.grace = grace
        self.usesConnector = usesConnector
        self.usesOpenings = usesOpenings
        self.usesGate = usesGate
    }
}
