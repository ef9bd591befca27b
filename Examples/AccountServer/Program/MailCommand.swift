internal import PortcullisCore
internal import Subprocess

#if canImport(System)
internal import System
#else
internal import SystemPackage
#endif

/// A command that takes a message on its standard input.
///
/// A command that hangs must hold up neither other mails nor the server's end. So it is killed after a
/// minute, and also if the task that waits for it is cancelled. Processes that the command leaves in the
/// background, as some mail systems do, are not waited for, and hold no descriptor of the server.
struct MailCommand: Sendable {
    /// How long the command may run.
    static let limit = Duration.seconds(60)

    let path: String
    let arguments: [String]
    let clock: any LockClock

    /// The command was not over in time.
    struct TimedOut: Error {}

    /// Runs the command once.
    ///
    /// - Returns: the command's exit status; 128 plus the signal's number if a signal ended the command.
    /// - Throws: ``TimedOut`` after ``limit``; `CancellationError`; the system's error if the command cannot
    ///   be run.
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

    /// This function opens and closes all streams of the command. With streams of its own, the library
    /// (1.0.2) traps if a command ends without having read its input, or if a second stream cannot be opened.
    /// The message fits into a pipe, so it is written before the command starts.
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
