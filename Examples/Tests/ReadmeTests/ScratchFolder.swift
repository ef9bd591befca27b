import ExampleSupport
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A new home and working folder, in which the commands of a README run. It may have a copy of an example's
/// own files.
final class ScratchFolder: Sendable {
    /// Holds a `swift` that runs the built examples. The file exists before the tests, because a program that
    /// was just written cannot be run while a process that another test starts at that moment has it open.
    private static let programs = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "Programs")

    private let root = FileManager.default.temporaryDirectory.appending(path: "example-\(UUID())")
    private var work: URL { root.appending(path: "work") }
    /// The folder of the built examples.
    private let examples: URL

    init(with example: URL? = nil) throws {
        examples = try built("hello").deletingLastPathComponent()
        for folder in [work, root.appending(path: "home")] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        if let example {
            try FileManager.default.copyItem(at: example, to: work.appending(path: example.lastPathComponent))
        }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Runs a command and waits for its end.
    ///
    /// - Returns: the lines that it printed, standard output and standard error together.
    func run(_ script: String) async throws -> [String] {
        let output = root.appending(path: "output")
        try Data().write(to: output)
        // The output goes to a file, because a process left in the background could hold a pipe open.
        let handle = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec 2>&1\n\(script)"]
        process.currentDirectoryURL = work
        process.environment = [
            "HOME": root.appending(path: "home").path,
            "PATH": "\(Self.programs.path):/usr/bin:/bin",
            "EXAMPLES": examples.path,
            "LANG": "C.UTF-8",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try await Self.run(process)
        try handle.close()
        var lines = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func run(_ process: Process) async throws {
        try process.run()
        let id = process.processIdentifier
        await withTaskCancellationHandler {
            // Foundation notices the end by a socket that a command in the background also has. So the end is
            // polled here.
            while isRunning(id), (try? await Task.sleep(for: .milliseconds(10))) != nil {}
        } onCancel: {
            // The shell leads a group of processes, which its commands belong to.
            kill(-id, SIGKILL)
            kill(id, SIGKILL)
        }
        try Task.checkCancellation()
    }

    private static func isRunning(_ id: pid_t) -> Bool {
        var ending = unsafe siginfo_t()
        // The process is left for Foundation to collect.
        guard unsafe waitid(P_PID, id_t(id), &ending, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
        return unsafe ending.si_signo == 0
    }
}
