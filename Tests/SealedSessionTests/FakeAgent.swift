import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import Synchronization

@testable import SealedSession

/// Listens where an agent would, and gives each request the same answer, or hangs up.
final class FakeAgent: Sendable {
    private let folder: URL
    private let listener: Int32
    private let task: Task<Void, Never>
    private let count: Counter

    /// The number of requests so far.
    var requests: Int { count.value.load(ordering: .relaxed) }

    var socket: String { folder.appendingPathComponent("agent").path }

    convenience init(_ reply: AgentReply?) throws { try self.init(message: reply?.message) }

    /// Counts on the agent's task.
    private final class Counter: Sendable { let value = Atomic(0) }

    /// - Parameter message: the bytes of the answer; `nil` to hang up without one.
    init(message: SecretBytes?) throws {
        folder = URL(fileURLWithPath: "/tmp/fake-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        guard let made = UnixSocket.listen(at: folder.appendingPathComponent("agent").path) else {
            throw CocoaError(.fileWriteUnknown)
        }
        listener = made
        let count = Counter()
        self.count = count
        task = Task {
            while !Task.isCancelled {
                if let connection = UnixSocket.accept(made) {
                    count.value.add(1, ordering: .relaxed)
                    // The request first: what is left unread when the connection is closed may cost the answer.
                    let request = SecretBuffer(capacity: 1 << 16)
                    while case .nothing = UnixSocket.receive(into: request, from: connection) {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    if let message { _ = UnixSocket.send(message, from: 0, to: connection) }
                    close(connection)
                }
                // The client is another process, or another thread, that no clock of the tests moves.
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    func stop() async {
        task.cancel()
        await task.value
        close(listener)
        try? FileManager.default.removeItem(at: folder)
    }
}
