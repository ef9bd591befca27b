#if os(Linux)
import Foundation
import Glibc

/// An app that does nothing for a while: a copy of `sleep` that only its test runs, and that ends with the
/// test.
public final class ToyApp: Sendable {
    /// The program's path, which is its token for a shield of processes.
    public let program: String
    private let process: Process

    /// Copies and starts it.
    public init(named name: String, in folder: TemporaryFolder) throws {
        program = "\(folder.path)/\(name)"
        let sleep = URL(filePath: "/bin/sleep").resolvingSymlinksInPath()
        try FileManager.default.copyItem(at: sleep, to: URL(filePath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["600"]
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Whether the app is stopped, as the system's table of processes says.
    public var isStopped: Bool { ProcessState.isStopped(process.processIdentifier) }
}
#endif
