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

    /// Runs it once.
    ///
    /// - Returns: its status; 128 and the signal's number where a signal ended it.
    /// - Throws: when it cannot be run, or was not over when its time or its task's was.
    func run(_ input: [UInt8]) async throws -> Int32 {
        let due = clock.now.sinceBoot + Self.limit
        return try await withThrowingTaskGroup(of: Int32.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await status(input) }
            group.addTask {
                try await clock.sleep(until: .sinceBoot(due))
                throw CancellationError()
            }
            return try await group.next() ?? 0
        }
    }

    /// The message fits into a pipe, so it is written before the command starts: the library traps where a command ends
    /// without having read what the library writes to it (1.0.2).
    private func status(_ input: [UInt8]) async throws -> Int32 {
        let pipe = try FileDescriptor.pipe()
        do { try pipe.writeEnd.closeAfter { _ = try pipe.writeEnd.writeAll(input) } } catch {
            try pipe.readEnd.close()
            throw error
        }
        let command = try await Subprocess.run(
            .path(FilePath(path)),
            arguments: Arguments(arguments),
            input: .fileDescriptor(pipe.readEnd, closeAfterSpawningProcess: true),
            output: .discarded,
            error: .discarded
        )
        return switch command.terminationStatus {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
