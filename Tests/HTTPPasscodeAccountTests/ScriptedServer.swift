import Foundation
import PortcullisCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on a loopback port that answers as the test says, well or badly.
final class ScriptedServer: Sendable {
    /// A request as it arrived.
    struct Arrival: Sendable {
        var line: String
        var fields: [String: String]
        var body: String
    }

    /// What becomes of one request.
    enum Reply: Sendable {
        case answer(Int, String, [String: String] = [:])
        /// The connection is closed without a word.
        case hangUp
        /// Nothing comes until the test ends.
        case silence
        /// A body that begins with blanks, one every half second for half a minute.
        case drip(String)
        /// Bytes as they are, then the connection is closed.
        case raw(String)
    }

    private struct State {
        var arrivals: [Arrival] = []
        var replies: [Reply] = []
        var connections: Set<Int32> = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let listener: Int32
    let port: Int

    /// Listens; each request takes the next reply, and when there is none left a 500.
    init(_ replies: Reply...) throws {
        let stream = Int32(SOCK_STREAM.rawValue)
        listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let file = listener
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(file, pointer, size) == 0 && listen(file, 16) == 0
                    && getsockname(file, pointer, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        state.withLock { $0.replies = replies }
        Threads.start { [weak self] in
            // Closed by the one that uses it: its number could be another's while this still waits.
            defer { close(file) }
            while true {
                let connection = accept(file, nil, nil)
                guard connection >= 0, let self else { return }
                let isOpen = self.state.withLock { state in
                    if !state.isStopped { state.connections.insert(connection) }
                    return !state.isStopped
                }
                guard isOpen else {
                    close(connection)
                    return
                }
                Threads.start { self.serve(connection) }
            }
        }
    }

    /// One more reply, after those that wait.
    func add(_ reply: Reply) { state.withLock { $0.replies.append(reply) } }

    var url: URL { URL(string: "http://127.0.0.1:\(port)")! }
    var arrivals: [Arrival] { state.withLock { $0.arrivals } }

    /// Ends what is open; a server that is not stopped would keep its threads.
    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func serve(_ connection: Int32) {
        defer {
            state.withLock { state in
                state.connections.remove(connection)
                _ = close(connection)
            }
        }
        while let arrival = read(connection) {
            let reply = state.withLock { state -> Reply in
                state.arrivals.append(arrival)
                return state.replies.isEmpty ? .answer(500, "{}") : state.replies.removeFirst()
            }
            switch reply {
            case .hangUp: return
            case .silence: continue
            case .drip(let body):
                send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", connection)
                send("Content-Length: \(body.utf8.count + 60)\r\n\r\n", connection)
                for _ in 0..<60 where !state.withLock({ $0.isStopped }) {
                    send(" ", connection)
                    usleep(500_000)
                }
                send(body, connection)
            case .raw(let text):
                send(text, connection)
                return
            case .answer(let status, let body, let fields):
                var head = "HTTP/1.1 \(status) Scripted\r\nContent-Length: \(body.utf8.count)\r\n"
                if fields["Content-Type"] == nil { head += "Content-Type: application/json\r\n" }
                for (name, value) in fields { head += "\(name): \(value)\r\n" }
                send(head + "\r\n" + body, connection)
            }
        }
    }

    private func send(_ text: String, _ connection: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// The next request, or `nil` when the connection has ended.
    private func read(_ connection: Int32) -> Arrival? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        func more() -> Bool {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            if count > 0 { bytes += buffer[..<count] }
            return count > 0
        }
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = bytes.indices.first { bytes[$0...].starts(with: end) }
            if headEnd == nil, !more() { return nil }
        }
        let lines = String(decoding: bytes[..<headEnd!], as: UTF8.self).components(separatedBy: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let bodyStart = headEnd! + 4
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        while bytes.count < bodyStart + length { if !more() { return nil } }
        return Arrival(
            line: lines[0],
            fields: fields,
            body: String(decoding: bytes[bodyStart..<bodyStart + length], as: UTF8.self)
        )
    }
}
