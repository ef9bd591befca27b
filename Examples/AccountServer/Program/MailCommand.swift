internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A command that takes a message on its standard input, run once.
///
/// Mails go out one after the other, so a command that hangs must hold up neither the others nor the server's end: it
/// is killed after a minute, and when the task that waits for it is cancelled. What the command leaves running in the
/// background, as some mail systems do, is not waited for.
final class MailCommand: Sendable {
    private enum State {
        case waiting
        case running(Process)
        case killed
    }

    private let path: String
    private let arguments: [String]
    private let state = Mutex(State.waiting)

    init(path: String, arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// Runs it on a thread that may wait for it.
    ///
    /// - Returns: its status; 128 and the signal's number where a signal ended it.
    /// - Throws: when it cannot be run.
    func run(_ input: [UInt8]) async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread { continuation.resume(with: Result { try self.runHere(input) }) }.start()
            }
        } onCancel: {
            self.kill()
        }
    }

    private func runHere(_ input: [UInt8]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try state.withLock { state in
            if case .killed = state { throw CancellationError() }
            try process.run()
            state = .running(process)
        }
        let watchdog = DispatchWorkItem { self.kill() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
        defer { watchdog.cancel() }
        // A command that does not read is told by its status; the message fits into the pipe.
        try? pipe.fileHandleForWriting.write(contentsOf: input)
        try? pipe.fileHandleForWriting.close()
        return Self.wait(for: process)
    }

    /// Waits for the command alone: `Process` waits until all that the command has started has ended, too.
    ///
    /// Only `Process` collects the command, so that its number stays the command's until then.
    private static func wait(for process: Process) -> Int32 {
        var end = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(process.processIdentifier), &end, WEXITED | WNOWAIT) == -1 {
            if errno == EINTR { continue }
            // It is collected already.
            process.waitUntilExit()
            return process.terminationStatus
        }
        #if canImport(Darwin)
        let status = unsafe end.si_status
        #else
        let status = unsafe end._sifields._sigchld.si_status
        #endif
        return unsafe end.si_code == Int32(CLD_EXITED) ? status : 128 + status
    }

    private func kill() {
        state.withLock { state in
            if case .running(let process) = state, process.isRunning {
                _ = Foundation.kill(process.processIdentifier, SIGKILL)
            }
            state = .killed
        }
    }
}
