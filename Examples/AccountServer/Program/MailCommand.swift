internal import PortcullisCore
internal import Subprocess

#if canImport(System)
internal import System
#else
internal import SystemPackage
#endif

/// A command that takes a message on its standard input.
///
/// A command that hangs must hold up neither other mails nor the server's end: it is killed after a minute, and when the task
/// that waits for it is cancelled. What the command leaves running in the background, as some mail systems do, is not waited
/// for, and holds nothing of the server's.
struct MailCommand: Sendable {
    /// How long it may run.
    static let limit = Duration.seconds(60)

    let path: String
    let arguments: [String]
    let clock: any LockClock

    /// It was not over in time.
    struct TimedOut: Error {}

    /// Runs it once.
    ///
    /// - Returns: its status; 128 and the signal's number where a signal ended it.
    /// - Throws: ``TimedOut`` after ``limit``; `CancellationError`; what the system says where it cannot be run.
    func run(_ input: [UInt8]) async throws -> Int32 {
        let due = clock.now.sinceBoot + Self.limit
        return try await withThrowingTaskGroup(of: Int32.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await status(input) }
            group.addTask {
                try await clock.sleep(until: .sinceBoot(due))
                throw TimedOut()
            }
            return try await group.next() ?? 0
        }
    }

    /// All of its streams are descriptors of this function's, which closes them: of its own the library (1.0.2) traps where a
    /// command ends without having read its input, and where a second one cannot be opened. The message fits into a pipe, so
    /// it is written before the command starts.
    private func status(_ input: [UInt8]) async throws -> Int32 {
        try Task.checkCancellation()
        let nowhere = try FileDescriptor.open(FilePath("/dev/null"), .readWrite, options: .closeOnExec)
        defer { try? nowhere.close() }
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        try pipe.writeEnd.closeAfter { _ = try pipe.writeEnd.writeAll(input) }
        let command = try await Subprocess.run(
            .path(FilePath(path)),
            arguments: Arguments(arguments),
            input: .fileDescriptor(pipe.readEnd, closeAfterSpawningProcess: false),
            output: .fileDescriptor(nowhere, closeAfterSpawningProcess: false),
            error: .fileDescriptor(nowhere, closeAfterSpawningProcess: false)
        )
        return switch command.terminationStatus {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
