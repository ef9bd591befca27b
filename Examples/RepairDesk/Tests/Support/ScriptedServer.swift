#if os(Linux)
import ExampleSupport
import Foundation
import Glibc
import Synchronization

/// An account server that gives the answers that a test sets, and counts the requests.
///
/// Each connection carries one request.
final class ScriptedServer: Sendable {
    enum Reply: Sendable {
        case json(Int, String)
        /// A redirection to another address.
        case elsewhere(String)
        /// No answer, for as long as the server lives.
        case silence
        /// Like `json`, but only after the test has called ``release()``.
        case held(Int, String)
    }

    private struct State {
        var replies: [String: Reply] = [:]
        var asked: [String] = []
        var silent: [Int32] = []
        var held: [(Int32, Reply)] = []
    }

    private let state = Mutex(State())
    private let listener: LoopbackListener

    /// A server to which Anna can sign in; she has no passcode.
    init() throws {
        listener = try LoopbackListener()
        answer("request-sign-in", .json(202, #"{"request": "r0"}"#))
        answer("sign-in", .json(200, #"{"token": "t0ken", "user": {"id": "anna", "role": "staff"}}"#))
        answer("session", .json(200, #"{"id": "anna", "role": "staff"}"#))
        answer(
            "passcode-status",
            .json(200, #"{"hasPasscode": false, "isEnabled": true, "timeoutMinutes": 15}"#)
        )
        answer("set-passcode", .json(200, #"{"outcome": "set"}"#))
        answer("log-out", .json(204, ""))
        answer("log-out-everywhere", .json(204, ""))
        listener.serve { [weak self] connection in
            guard let self else { return _ = close(connection) }
            self.serve(connection)
        }
    }

    deinit {
        for connection in state.withLock({ $0.silent }) { close(connection) }
    }

    var address: String { "http://127.0.0.1:\(listener.port)" }

    /// Sets the answer to an act from now on.
    func answer(_ act: String, _ reply: Reply) { state.withLock { $0.replies[act] = reply } }

    /// Sends the answers that are held back.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for (connection, reply) in held { send(reply, connection) }
    }

    /// Takes no more connections.
    func stop() { listener.stop() }

    /// How often an act was asked for.
    func count(_ act: String) -> Int { state.withLock { $0.asked.count { $0 == act } } }

    /// Waits until an act was asked for.
    func wait(for act: String, count least: Int = 1) async throws {
        let start = ContinuousClock.now
        while count(act) < least {
            guard ContinuousClock.now - start < .seconds(300) else {
                throw DeskRun.TimedOut(description: "the desk never asked for \(act)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func serve(_ connection: Int32) {
        guard let act = Self.act(of: connection) else { return _ = close(connection) }
        let reply = state.withLock { state in
            state.asked.append(act)
            return state.replies[act] ?? .json(404, "{}")
        }
        if case .held(let status, let json) = reply {
            return state.withLock { $0.held.append((connection, .json(status, json))) }
        }
        send(reply, connection)
    }

    private func send(_ reply: Reply, _ connection: Int32) {
        let text: String
        switch reply {
        case .silence:
            return state.withLock { $0.silent.append(connection) }
        case .elsewhere(let address):
            text = "HTTP/1.1 307 Elsewhere\r\nLocation: \(address)\r\nContent-Length: 0\r\n"
        case .json(let status, _), .held(let status, _):
            text = "HTTP/1.1 \(status) Said\r\nContent-Type: application/json\r\n"
        }
        var body = ""
        if case .json(_, let json) = reply { body = "Content-Length: \(json.utf8.count)\r\n\r\n\(json)" }
        let bytes = Array((text + "Connection: close\r\n" + (body.isEmpty ? "\r\n" : body)).utf8)
        _ = unsafe Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        close(connection)
    }

    /// Reads a request with its whole body, and returns the last part of its path.
    private static func act(of connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound]
                let length =
                    head.lowercased().firstMatch(of: #/content-length: (\d+)/#).flatMap { Int($0.1) } ?? 0
                if text[end.upperBound...].utf8.count >= length {
                    return head.split(separator: " ").dropFirst().first?.split(separator: "/").last
                        .map(String.init)
                }
            }
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
#endif
