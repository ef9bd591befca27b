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
    /// memory or a file is ended by a limit. The limit of memory is not that of addresses (`-v`), because browsers reserve
    /// far more addresses than they use.
    private static let apart: [String] =
        ["setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        + (geteuid() == 0 ? [] : ["--user", "--map-current-user"])
        + ["sh", "-c", #"ulimit -d 33554432; ulimit -f 4194304; "$@"; exit $?"#, "sh"]

    /// How a run of tests ended.
    struct Outcome {
        /// The names of the tests that failed.
        var failed: Set<String> = []
        /// What ended the program before its tests were over; nil: nothing.
        var abort: String?
        /// The longest time in which it wrote nothing, in seconds.
        var longestSilence: TimeInterval = 0
    }

    /// How long a run may take, in seconds.
    struct Limit {
        var whole: TimeInterval
        /// Without a line: of tests that hang, the others are soon over.
        var silence: TimeInterval
    }

    /// Runs the tests that match a regular expression, until the first that fails where that is enough.
    ///
    /// - Parameter ignored: tests whose failure says nothing; nil: all of them run, whatever fails.
    func run(
        _ filter: String,
        fault: Int,
        limit: Limit,
        ignoring ignored: Set<String>?
    ) throws -> Outcome {
        // A short name: sockets of the tests lie below it. Tests in the name of other users write to it, too.
        let scratch = URL(filePath: "/tmp/fault-\(UUID().uuidString.prefix(8))")
        let manager = FileManager.default
        try manager.createDirectory(at: scratch, withIntermediateDirectories: true)
        try manager.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: scratch.path)
        defer { try? manager.removeItem(at: scratch) }
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
        let start = ContinuousClock.now
        var lastWritten = start
        var text = ""
        var outcome = Outcome()
        func read() throws {
            let silence = Self.seconds(since: lastWritten)
            outcome.longestSilence = max(outcome.longestSilence, silence)
            let read = try reader.readToEnd() ?? Data()
            guard !read.isEmpty else { return }
            lastWritten = .now
            text += String(decoding: read, as: UTF8.self)
            outcome.failed = Set(text.matches(of: /✘ Test (.+?) recorded an issue/).map { String($0.1) })
                .subtracting(ignored ?? [])
        }
        while process.isRunning {
            Thread.sleep(forTimeInterval: 0.1)
            try read()
            let isEnough = ignored != nil && !outcome.failed.isEmpty
            let isOver =
                Self.seconds(since: start) > limit.whole || Self.seconds(since: lastWritten) > limit.silence
            guard isEnough || isOver else { continue }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if !isEnough { outcome.abort = hang(filter) }
            return outcome
        }
        try read()
        // A failed test ends the program with 1, after its closing line.
        if process.terminationReason != .exit || process.terminationStatus > 1
            || !text.contains(/Test run with [1-9][0-9]* tests?/)
        {
            outcome.abort = "\(filter) ended with \(process.terminationStatus)"
        }
        return outcome
    }

    private static func seconds(since moment: ContinuousClock.Instant) -> TimeInterval {
        (ContinuousClock.now - moment) / .seconds(1)
    }

    /// What is said of tests that did not end in time.
    func hang(_ filter: String) -> String { "\(filter) does not end" }
}
