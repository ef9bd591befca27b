internal import Foundation
internal import Mutation

/// The built tests, run as a program in namespaces of its own.
///
/// A fault may stop or kill any process that it sees, so it sees none but its own; and whatever it has started ends with it.
struct TestProgram {
    private let folder: URL
    private let program: String

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    init(folder: URL, package: String) throws {
        self.folder = folder
        let built = try Command.output(
            "swift",
            ["build", "--package-path", folder.path, "--disable-xctest", "--show-bin-path"]
        )
        program = built.trimmingCharacters(in: .whitespacesAndNewlines) + "/\(package)PackageTests.xctest"
        let (status, _, errors) = try Command.run(Self.apart[0], Self.apart.dropFirst() + ["true"], in: nil)
        guard status == 0 else {
            throw Refused(description: "namespaces are needed, and cannot be made: \(errors)")
        }
    }

    /// The command that runs another one apart from everything else, and ends it with this process.
    ///
    /// The shell is the namespace's first process, for which the system's signals have other meanings. A fault that fills
    /// memory or a file is ended by a limit.
    private static let apart: [String] =
        ["setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        + (geteuid() == 0 ? [] : ["--user", "--map-current-user"])
        + ["sh", "-c", #"ulimit -v 33554432; ulimit -f 4194304; "$@"; exit $?"#, "sh"]

    /// Runs the tests that match a regular expression until the first fails.
    ///
    /// - Returns: what failed; nil: they passed.
    func run(_ filter: String, fault: Int, limit: TimeInterval) throws -> String? {
        // A short name: sockets of the tests lie below it.
        let scratch = URL(filePath: "/tmp/fault-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let log = scratch.appending(path: "log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = Self.apart + [program, "--testing-library", "swift-testing", "--filter", filter]
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(
            [MutatedSource.variable: "\(fault)", "TMPDIR": scratch.path, "SWIFT_BACKTRACE": "enable=no"]
        ) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let reader = try FileHandle(forReadingFrom: log)
        let end = Date() + limit
        var text = ""
        var isKilled = false
        while process.isRunning {
            Thread.sleep(forTimeInterval: 0.1)
            text += String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
            if text.contains(" recorded an issue") || Date() > end {
                kill(process.processIdentifier, SIGKILL)
                isKilled = true
                process.waitUntilExit()
            }
        }
        text += String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
        if let failure = text.firstMatch(of: /✘ Test (.+) recorded an issue/) { return String(failure.1) }
        if isKilled { return hang(filter) }
        guard process.terminationStatus == 0, text.contains(/Test run with [1-9][0-9]* tests?/) else {
            return "\(filter) ended with \(process.terminationStatus)"
        }
        return nil
    }

    /// What is said of tests that did not end in time.
    func hang(_ filter: String) -> String { "\(filter) does not end" }
}
