import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A process of an example that was built beside the tests.
public final class ExampleProcess: Sendable {
    private let process: Process
    private let folder: TemporaryFolder
    private let ended: Task<Int32, Never>

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - name: the example's command.
    ///   - arguments: the command's arguments.
    ///   - directory: the working directory.
    public init(_ name: String, _ arguments: [String], in directory: String? = nil) throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "output")
        let output = try FileHandle(forWritingTo: URL(filePath: "\(folder.path)/output"))
        let process = Process()
        process.executableURL = try built(name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        try process.run()
        self.process = process
        ended = Task { await ends.first { _ in true } ?? -1 }
    }

    deinit { signal(SIGKILL) }

    /// Waits for the end, and returns the exit status, or the number of the signal that ended the process.
    public var status: Int32 { get async { await ended.value } }

    /// The text that was printed so far, standard output and standard error together.
    public var output: String {
        get throws { try String(contentsOfFile: "\(folder.path)/output", encoding: .utf8) }
    }

    /// Waits for the end, and returns all printed text.
    public var wholeOutput: String {
        get async throws {
            _ = await status
            return try output
        }
    }

    /// Sends a signal, unless the process has ended. Its number may then be another process's.
    public func signal(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Waits until the process has printed a text.
    ///
    /// - Returns: `false` if a minute passes without it.
    public func waits(for text: String) async -> Bool {
        await BoundedWait.holds { (try? self.output)?.contains(text) == true }
    }
}

/// Waits for other processes, which no clock of a test can move.
public enum BoundedWait: Sendable {
    /// Waits until something holds.
    ///
    /// - Returns: `false` if a minute passes without it.
    /// - Throws: the error of the condition.
    public static func holds(_ condition: () async throws -> Bool) async rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try await condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return try await condition()
    }
}
