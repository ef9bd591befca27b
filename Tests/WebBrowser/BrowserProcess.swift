internal import Foundation
internal import ProcessEnd

/// A browser or its driver as a process.
final class BrowserProcess: Sendable {
    private let process: Process

    /// Starts a program.
    ///
    /// - Parameter output: gets what it prints; `nil`: nothing does.
    init(_ program: String, _ arguments: [String], output: Pipe? = nil) throws {
        guard let path = Self.path(of: program) else {
            throw Browser.Failure(description: "\(program) is missing")
        }
        process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        if let output {
            process.standardOutput = output
        } else {
            process.standardOutput = FileHandle.nullDevice
        }
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// Where a program is; `nil` where it is not installed.
    static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    var isRunning: Bool { process.isRunning }

    /// Kills its process group, which the processes that it started belong to. SIGTERM may be blocked in it, as in the process
    /// that started it.
    func end() {
        process.killAndWait(group: true)
    }
}
