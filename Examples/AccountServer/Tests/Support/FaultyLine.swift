import Foundation
import PortcullisTesting
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A line to a server that can be cut, lose an answer, or answer for the server that it failed.
///
/// Each connection carries one request, as those of the account's adapter do.
final class FaultyLine: Sendable {
    private struct State {
        var target: Int
        var fault: PasscodeAccountSubject.Fault?
        var isStopped = false
    }

    private let state: Mutex<State>
    private let listener: Int32
    let port: Int

    init(to target: Int) throws {
        state = Mutex(State(target: target))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let file = listener
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(file, pointer, size) == 0 && listen(file, 64) == 0
                    && getsockname(file, pointer, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [weak self] in
            // Closed by the one that uses it: its number could be another's while this still waits.
            defer { close(file) }
            while true {
                let connection = accept(file, nil, nil)
                guard connection >= 0 else { return }
                guard let self, !self.state.withLock({ $0.isStopped }) else {
                    close(connection)
                    return
                }
                Thread { self.carry(connection) }.start()
            }
        }.start()
    }

    func inflict(_ fault: PasscodeAccountSubject.Fault) {
        if fault == .cut { stop() } else { state.withLock { $0.fault = fault } }
    }

    /// Leads to another server from now on.
    func lead(to target: Int) { state.withLock { $0.target = target } }

    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
        }
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func carry(_ connection: Int32) {
        defer { close(connection) }
        let request = Self.readMessage(connection)
        guard !request.isEmpty else { return }
        let (target, fault) = state.withLock { state in
            defer { state.fault = nil }
            return (state.target, state.fault)
        }
        if fault == .fail {
            Self.write(Array("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n".utf8), connection)
            return
        }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = Self.address(target)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isThere = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(server, $0, size) == 0
            }
        }
        guard isThere else { return }
        Self.write(request, server)
        let answer = Self.readMessage(server)
        if fault != .loseAnswer { Self.write(answer, connection) }
    }

    private static func write(_ bytes: [UInt8], _ file: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// A head and as much body as it says.
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
