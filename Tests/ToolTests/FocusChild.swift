import Foundation
import Glibc
import PortcullisTesting
import Synchronization

/// The built tool as a process that goes on, with its streams.
final class FocusChild: Sendable {
    private struct State: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openStreams = 2
        var status: Int32?
    }

    private let process: Process
    private let input: FileHandle
    private let state = Mutex(State())
    let pid: pid_t

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - home: where its files are.
    ///   - arguments: without the tool's name.
    ///   - starter: a command that starts it, such as `unshare -r`.
    init(_ home: FocusHome, _ arguments: [String], through starter: [String] = []) throws {
        let process = home.process(starter + [Tool.executable.path] + arguments)
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        self.input = input.fileHandleForWriting
        // Whoever it no longer listens to is no fault of the test.
        signal(SIGPIPE, SIG_IGN)
        // A shell starts background jobs with this signal ignored, and the tool would inherit that.
        signal(SIGINT, SIG_DFL)
        try process.run()
        self.process = process
        pid = process.processIdentifier
        read(output.fileHandleForReading) { $0.output += $1 }
        read(errors.fileHandleForReading) { $0.errors += $1 }
        Thread.detachNewThread { [weak self] in
            process.waitUntilExit()
            let isExit = process.terminationReason == .exit
            let status = isExit ? process.terminationStatus : 128 + process.terminationStatus
            self?.state.withLock { $0.status = status }
        }
    }

    deinit { if state.withLock({ $0.status }) == nil { kill(pid, SIGKILL) } }

    private func read(_ handle: FileHandle, _ take: @escaping @Sendable (inout State, Data) -> Void) {
        let descriptor = dup(handle.fileDescriptor)
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
                if count <= 0 { break }
                let data = Data(buffer[..<count])
                self?.state.withLock { take(&$0, data) }
            }
            close(descriptor)
            self?.state.withLock { $0.openStreams -= 1 }
        }
    }

    func type(_ text: String) { try? input.write(contentsOf: Data(text.utf8)) }
    func closeInput() { try? input.close() }
    func send(_ signal: Int32) { kill(pid, signal) }

    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var errors: String { state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    /// Every whole line of output as JSON.
    var events: [[String: Any]] {
        output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
    }

    func events(_ kind: String) -> [[String: Any]] { events.filter { $0["event"] as? String == kind } }

    /// Waits for a line of output.
    func wait(
        _ what: String,
        limit: Duration = BoundedWait.processLimit,
        for isIt: ([String: Any]) -> Bool
    ) async throws {
        do {
            try await BoundedWait.untilProcess(what, limit: limit) {
                if events.contains(where: isIt) { return true }
                return state.withLock { $0.status != nil && $0.openStreams == 0 }
            }
        } catch {
            throw BoundedWait.TimedOut(description: "waited in vain for \(what):\n\(output)\n\(errors)")
        }
        guard events.contains(where: isIt) else {
            throw BoundedWait.TimedOut(description: "ended without \(what):\n\(output)\n\(errors)")
        }
    }

    /// Waits until the lock is on with this progress.
    func waitForProgress(_ progress: Double) async throws {
        try await wait("progress \(progress)") {
            $0["event"] as? String == "status" && $0["progress"] as? Double == progress
                && $0["reason"] is NSNull
        }
    }

    func waitForStart(limit: Duration = BoundedWait.processLimit) async throws {
        try await wait("the start", limit: limit) { $0["event"] as? String == "status" }
    }

    /// The exit status, once it has ended and all was read; 128 + signal for one that a signal ended.
    func end(limit: Duration = BoundedWait.processLimit) async throws -> Int32 {
        do {
            try await BoundedWait.untilProcess("the end", limit: limit) {
                state.withLock { $0.status != nil && $0.openStreams == 0 }
            }
        } catch {
            let (status, openStreams) = state.withLock { ($0.status, $0.openStreams) }
            let left = status == nil ? "process \(pid) runs" : "\(openStreams) streams are open"
            throw BoundedWait.TimedOut(description: "no end, \(left):\n\(output)\n\(errors)")
        }
        return state.withLock { $0.status ?? -1 }
    }
}
