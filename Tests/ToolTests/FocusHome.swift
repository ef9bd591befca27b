import Foundation
import Glibc
import PortcullisTesting
import Testing

/// A home with one app in it, and the built tool to shut it: everything that a goal lock needs, apart from the
/// machine's own apps.
final class FocusHome: Sendable {
    struct Unusable: Error, CustomStringConvertible {
        var description: String
    }

    let tool: Tool
    /// Runs the tool and the app as an ordinary user rather than as whoever runs the tests.
    let isOrdinary: Bool
    /// The app's program.
    let program: URL

    static let token = "toy.desktop"
    /// An account without rights: `nobody` of most systems.
    static let ordinary: UInt32 = 65_534

    /// Whether a test may become another user, and what the tool needs for that is there.
    static let canDrop =
        geteuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv)
        && isReachable(Tool.executable)

    private static func isReachable(_ file: URL) -> Bool {
        var path = file.path
        while path != "/" {
            let mode = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
            guard let mode, mode & 0o001 != 0 else { return false }
            path = (path as NSString).deletingLastPathComponent
        }
        return true
    }

    init(ordinary: Bool = false, extraEntries: [String: String] = [:]) throws {
        var tool = try Tool()
        let home = tool.home
        tool.variables = ["XDG_DATA_HOME": home.path, "XDG_CONFIG_HOME": home.path]
        self.tool = tool
        isOrdinary = ordinary
        program = home.appending(path: "bin/sleep")
        let files = FileManager.default
        for folder in ["bin", "applications"] {
            try files.createDirectory(at: home.appending(path: folder), withIntermediateDirectories: true)
        }
        // Under its own name: some systems have one program for many commands.
        try files.copyItem(at: URL(fileURLWithPath: "/bin/sleep").resolvingSymlinksInPath(), to: program)
        try add("toy", name: "Toy Game", exec: "\(program.path) 1000", categories: "Game;")
        for (id, text) in extraEntries {
            try Data(text.utf8).write(to: home.appending(path: "applications/\(id).desktop"))
        }
        try give()
    }

    deinit { tool.remove() }

    var home: URL { tool.home }
    var store: URL { home.appending(path: "portcullis/default.keystore") }

    func add(_ id: String, name: String, exec: String, categories: String) throws {
        let text = """
            [Desktop Entry]
            Type=Application
            Name=\(name)
            Exec=\(exec)
            Categories=\(categories)

            """
        try Data(text.utf8).write(to: home.appending(path: "applications/\(id).desktop"))
    }

    /// Hands everything in the home to the ordinary user.
    func give() throws {
        guard isOrdinary else { return }
        let paths = (FileManager.default.subpaths(atPath: home.path) ?? []).map { "\(home.path)/\($0)" }
        for path in paths + [home.path] { unsafe lchown(path, Self.ordinary, Self.ordinary) }
    }

    static let setpriv = "/usr/bin/setpriv"
    /// What has ``setpriv`` run a program as an account without rights.
    static func asUser(_ user: UInt32) -> [String] {
        ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "--inh-caps", "-all", "--"]
    }

    private func command(_ arguments: [String]) -> (URL, [String]) {
        guard isOrdinary else { return (URL(fileURLWithPath: arguments[0]), Array(arguments.dropFirst())) }
        return (URL(fileURLWithPath: Self.setpriv), Self.asUser(Self.ordinary) + arguments)
    }

    /// A process that has not started.
    func process(_ arguments: [String]) -> Process {
        let process = Process()
        (process.executableURL, process.arguments) = command(arguments)
        process.environment = tool.environment
        // Who has no rights cannot write where that is counted.
        if isOrdinary { process.environment?.merge(Tool.counting.mapValues { _ in "/dev/null" }) { $1 } }
        return process
    }

    /// Runs the tool to its end.
    func run(_ arguments: String..., input: String = "") async throws -> Tool.Outcome {
        let child = try FocusChild(self, arguments)
        child.type(input)
        child.closeInput()
        let status = try await child.end()
        return Tool.Outcome(status: status, output: Data(child.output.utf8), errors: child.errors)
    }

    /// Starts the app, as somebody would who uses it.
    func startApp() throws -> FocusApp { try FocusApp(process([program.path, "1000"])) }

    /// Starts the app as another user.
    func startApp(as user: UInt32) throws -> FocusApp {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.setpriv)
        process.arguments =
            ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "--", program.path, "1000"]
        return try FocusApp(process)
    }

    /// A home whose program any user may run.
    static func open() throws -> FocusHome {
        let home = try FocusHome()
        for path in [home.home, home.program.deletingLastPathComponent(), home.program] {
            unsafe chmod(path.path, 0o755)
        }
        return home
    }
}

/// A running app.
final class FocusApp: Sendable {
    let pid: pid_t
    private let process: Process

    init(_ process: Process) throws {
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = process
        pid = process.processIdentifier
    }

    deinit {
        kill(pid, SIGKILL)
    }

    /// The letter of its state, such as S or T.
    var state: Character? {
        let line = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return line.split(separator: ")").last?.dropFirst().first
    }

    var isStopped: Bool { state == "T" }
    /// Whether it is there and goes on.
    var runs: Bool { state == "S" || state == "R" }

    func waitUntilStopped() async throws {
        try await BoundedWait.untilProcess("the app to be stopped") { self.isStopped }
    }
    func waitUntilItRuns() async throws {
        try await BoundedWait.untilProcess("the app to go on") { self.runs }
    }
}
