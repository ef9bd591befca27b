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
    /// Whether the kernel's process connector is used where it works; without it, opened files tell of starts.
    public var usesConnector: Bool
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
    ///   - usesConnector: whether the kernel's process connector is used where it works.
    ///   - usesGate: whether starts are denied where this process has the right to.
    public init(
        catalogue: DesktopCatalogue,
        users: Set<UInt32>,
        processFolder: String = "/proc",
        controlGroupFolder: String = "/sys/fs/cgroup",
        usesConnector: Bool = true,
        usesGate: Bool = true
    ) {
        self.catalogue = catalogue
        self.users = users
        self.processFolder = processFolder
        self.controlGroupFolder = controlGroupFolder
        self.usesConnector = usesConnector
        self.usesGate = usesGate
    }
}
