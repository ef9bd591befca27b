public import PortcullisCore

/// The apps, users, folders and mechanisms of a ``ProcessShield``.
public struct ProcessShieldConfiguration: Sendable {
    /// The catalogue of installed apps.
    public var catalogue: DesktopCatalogue
    /// The ids of the users whose processes may be stopped.
    public var users: Set<UInt32>
    /// The folder of the process table.
    public var processFolder: String
    /// The folder at which the unified control groups are mounted.
    public var controlGroupFolder: String
    /// The policies of single apps. A policy says what happens to the running processes of an app. An app
    /// that is not listed here has the ``defaultPolicy``.
    public var policies: [AppToken: StopPolicy]
    /// The policy of each app that ``policies`` does not list.
    public var defaultPolicy: StopPolicy
    /// The time that an app with the policy ``StopPolicy/terminate`` gets to end. An app that still runs
    /// after that time is stopped as with ``StopPolicy/freeze``.
    public var grace: Duration
    /// Whether the kernel's process connector is used if it works. Without it, a start is recognised by the
    /// opening of the program's file.
    public var usesConnector: Bool
    /// Whether a start is recognised by the opening of the program's file, if the connector is not used or
    /// does not work.
    ///
    /// Without the connector, all processes are examined once a second in two cases:
    /// - Openings are not used or cannot be watched.
    /// - An app may start without an opening of a known file. Such an app is a snap, an AppImage, an app
    ///   whose file was renamed or replaced, or an app that is known by a launcher's arguments or by its
    ///   unit.
    public var usesOpenings: Bool
    /// Whether starts are denied if this process has the right (`CAP_SYS_ADMIN`).
    public var usesGate: Bool

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - catalogue: the catalogue of installed apps.
    ///   - users: the ids of the users whose processes may be stopped. A helper that runs as root names the
    ///     user for whom the helper works.
    ///   - processFolder: the folder of the process table.
    ///   - controlGroupFolder: the folder at which the unified control groups are mounted.
    ///   - policies: the policies of single apps. A policy says what happens to the running processes of an
    ///     app.
    ///   - defaultPolicy: the policy of all other apps.
    ///   - grace: the time that an app with the policy ``StopPolicy/terminate`` gets to end. The call that
    ///     puts a shield up may take that much longer.
    ///   - usesConnector: whether the kernel's process connector is used if it works.
    ///   - usesOpenings: whether a start is recognised by the opening of the program's file, if the connector
    ///     does not work.
    ///   - usesGate: whether starts are denied if this process has the right (`CAP_SYS_ADMIN`).
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
