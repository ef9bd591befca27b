import ExampleSupport
import Foundation
import PortcullisTesting
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection to a server. It can be cut, lose an answer, spoil an answer, or answer in the server's place
/// that the server failed.
///
/// Each connection carries one request, as those of the account's adapter do.
final class FaultyLine: Sendable {
    private struct State {
        var target: Int
        var fault: PasscodeAccountSubject.Fault?
        var badAnswer: BadAnswer?
        var carried = 0
        var headLength = 0
        var isStopped = false
    }

    private let state: Mutex<State>
    private let listener: LoopbackListener
    var port: Int { listener.port }

    init(to target: Int) throws {
        state = Mutex(State(target: target))
        listener = try LoopbackListener()
        listener.serve { [weak self] connection in
            defer { close(connection) }
            if let self, !self.state.withLock({ $0.isStopped }) { self.carry(connection) }
        }
    }

    func inflict(_ fault: PasscodeAccountSubject.Fault) {
        if fault == .cut { stop() } else { state.withLock { $0.fault = fault } }
    }

    /// Spoils the next answer.
    func spoil(_ badAnswer: BadAnswer) { state.withLock { $0.badAnswer = badAnswer } }

    /// The number of requests so far.
    var carried: Int { state.withLock { $0.carried } }

    /// How long the head of the last answer was, its empty line included.
    var headLength: Int { state.withLock { $0.headLength } }

    /// Leads to another server from now on.
    func lead(to target: Int) { state.withLock { $0.target = target } }

    func stop() {
        state.withLock { $0.isStopped = true }
        listener.stop()
    }

    private func carry(_ connection: Int32) {
        let early = state.withLock { state -> BadAnswer? in
            guard let answer = state.badAnswer, answer.isEarly else { return nil }
            state.badAnswer = nil
            state.carried += 1
            return answer
        }
        if let early {
            for step in early.steps(BadAnswer.Reply(head: [], body: [])) {
                guard take(step, connection) else { return }
            }
            return
        }
        let request = Self.readMessage(connection)
        guard !request.isEmpty else { return }
        let (target, fault, badAnswer) = state.withLock { state in
            defer { (state.fault, state.badAnswer) = (nil, nil) }
            state.carried += 1
            return (state.target, state.fault, state.badAnswer)
        }
        if fault == .fail {
            Self.write(Array("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n".utf8), connection)
            return
        }
        guard let server = try? LoopbackSocket.connected(to: target) else { return }
        defer { close(server) }
        Self.write(request, server)
        let answer = Self.readMessage(server)
        let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) ?? answer.endIndex..<answer.endIndex
        state.withLock { $0.headLength = end.upperBound }
        if let badAnswer {
            let reply = BadAnswer.Reply(
                head: Array(answer[..<end.lowerBound]),
                body: Array(answer[end.upperBound...])
            )
            for step in badAnswer.steps(reply) { guard take(step, connection) else { return } }
        } else if fault != .loseAnswer {
            Self.write(answer, connection)
        }
    }

    /// - Returns: whether the client still listens.
    private func take(_ step: BadAnswer.Step, _ connection: Int32) -> Bool {
        switch step {
        case .send(let bytes): return Self.write(bytes, connection)
        case .drip(let bytes, let count, let tenths):
            for _ in 0..<count {
                guard Self.write(bytes, connection) else { return false }
                guard tenths == 0 || !Self.isGone(connection, within: Int32(tenths) * 100) else {
                    return false
                }
            }
            return true
        case .hang:
            while !Self.isGone(connection, within: 100), !state.withLock({ $0.isStopped }) {}
            return false
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout<Glibc.linger>.size)
            _ = unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, size)
            return false
        }
    }

    /// Whether the client closes the connection within this time, or has closed it before.
    private static func isGone(_ connection: Int32, within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        guard unsafe Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
        var byte: UInt8 = 0
        return unsafe recv(connection, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) <= 0
    }

    @discardableResult
    private static func write(_ bytes: [UInt8], _ file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads a head, and as much body as the head announces.
    private static func readMessage(_ file: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound].lowercased()
                let length = head.firstMatch(of: #/content-length: (\d+)/#).flatMap { Int($0.1) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return bytes }
            }
            let count = unsafe recv(file, &buffer, buffer.count, 0)
            guard count > 0 else { return [] }
            bytes += buffer[..<count]
        }
    }
}
