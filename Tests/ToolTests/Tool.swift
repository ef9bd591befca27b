import Foundation

/// The built tool, run from outside with a home of its own.
struct Tool: Sendable {
    /// What a run left behind.
    struct Outcome: Sendable {
        var status: Int32
        var output: Data
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
        /// The last line of output as JSON.
        var json: [String: Any] {
            let line = text.split(separator: "\n").last.map { Data($0.utf8) } ?? Data()
            return (try? JSONSerialization.jsonObject(with: line)) as? [String: Any] ?? [:]
        }
    }

    /// The folder that stands for the person's home; removed with ``remove()``.
    let home: URL
    /// Variables of the environment that other runs do not have.
    var variables: [String: String] = [:]

    init() throws {
        home = FileManager.default.temporaryDirectory
            .appendingPathComponent("portcullis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    func remove() { try? FileManager.default.removeItem(at: home) }

    var store: URL { home.appendingPathComponent(".local/share/portcullis/default.keystore") }
    var keyFile: URL { home.appendingPathComponent(".config/portcullis/default.key") }

    /// The tool, beside the tests that were built with it.
    static let executable: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = tests.deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("portcullis")
            if FileManager.default.isExecutableFile(atPath: candidate.path),
                (try? candidate.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
            {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        fatalError("the tool was not built beside \(tests.path)")
    }()

    /// The variable that says where a tool that counts which of its lines run writes that, if it does.
    static let counting = ProcessInfo.processInfo.environment.filter { $0.key == "LLVM_PROFILE_FILE" }

    /// Variables that the build of the tool looks at, if it was built for it: ``counting``, and the variable that says which
    /// of the faults that were put into it is switched on.
    static let ofBuild = ProcessInfo.processInfo.environment.filter { $0.key == "PORTCULLIS_FAULT" }
        .merging(counting) { $1 }

    var environment: [String: String] {
        [
            "HOME": home.path, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            // The machine's own apps are no concern of any test.
            "XDG_DATA_DIRS": "\(home.path)/none",
        ].merging(Self.ofBuild) { $1 }.merging(variables) { $1 }
    }

    /// A process that has not started, with its three streams.
    func process(_ arguments: [String]) -> (process: Process, input: Pipe, output: Pipe, errors: Pipe) {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = environment
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        return (process, input, output, errors)
    }

    /// Runs the tool to its end, off Swift's pool.
    @discardableResult
    func run(_ arguments: String..., input: Data = Data()) async throws -> Outcome {
        try await run(arguments, input: input)
    }

    @discardableResult
    func run(_ arguments: String..., input: String) async throws -> Outcome {
        try await run(arguments, input: Data(input.utf8))
    }

    func run(_ arguments: [String], input: Data) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try runBlocking(arguments, input: input) })
            }
        }
    }

    /// Runs a shell's program text to its end; `$0` is the tool.
    func run(shell text: String, input: String = "") async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let words = ["-c", text, Self.executable.path]
                        return try runBlocking(words, by: "/bin/sh", input: Data(input.utf8))
                    }
                )
            }
        }
    }

    private func runBlocking(
        _ arguments: [String],
        by program: String? = nil,
        input: Data
    ) throws -> Outcome {
        let (process, stdin, stdout, stderr) = process(arguments)
        if let program { process.executableURL = URL(fileURLWithPath: program) }
        try process.run()
        let errors = Collected(stderr)
        let writer = Thread { [input] in
            // A tool that ends before it has read everything is no fault of the test.
            try? stdin.fileHandleForWriting.write(contentsOf: input)
            try? stdin.fileHandleForWriting.close()
        }
        writer.start()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let status =
            process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Outcome(status: status, output: output, errors: String(decoding: errors.wait(), as: UTF8.self))
    }
}

/// Reads a pipe to its end on a thread of its own.
private final class Collected: @unchecked Sendable {
    // Written by the thread before it signals, read after.
    private var data = Data()
    private let done = DispatchSemaphore(value: 0)

    init(_ pipe: Pipe) {
        Thread.detachNewThread { [self] in
            data = pipe.fileHandleForReading.readDataToEndOfFile()
            done.signal()
        }
    }

    func wait() -> Data {
        done.wait()
        return data
    }
}
