import Foundation
import Glibc
import LinuxSystem
import PortcullisCore

@testable import SealedSession

/// Listens where an agent would, and gives each request the same answer, or hangs up.
final class FakeAgent: Sendable {
    private let folder: URL
    private let listener: Int32
    private let task: Task<Void, Never>

    var socket: String { folder.appendingPathComponent("agent").path }

    init(_ reply: AgentReply?) throws {
        folder = URL(fileURLWithPath: "/tmp/fake-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        guard let made = UnixSocket.listen(at: folder.appendingPathComponent("agent").path) else {
            throw CocoaError(.fileWriteUnknown)
        }
        listener = made
        let message = reply?.message
        task = Task {
            while !Task.isCancelled {
                if let connection = UnixSocket.accept(made) {
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
