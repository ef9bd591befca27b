import ExampleSupport
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection on which a test sends bytes that no ordinary client would send.
final class RawConnection: Sendable {
    private let file: Int32

    init(to port: Int) throws { file = try LoopbackSocket.connected(to: port) }

    deinit { close(file) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Returns all text up to the server's closing of the connection.
    func rest() async -> String { await read(untilEnd: true) }

    /// Returns the first text that arrives; empty if the server closes the connection instead.
    func some() async -> String { await read(untilEnd: false) }

    private func read(untilEnd: Bool) async -> String {
        let file = file
        return await withCheckedContinuation { continuation in
            Thread {
                var (text, buffer) = ("", [UInt8](repeating: 0, count: 4096))
                while true {
                    let count = unsafe recv(file, &buffer, buffer.count, 0)
                    if count > 0 { text += String(decoding: buffer[..<count], as: UTF8.self) }
                    guard count > 0, untilEnd else { return continuation.resume(returning: text) }
                }
            }.start()
        }
    }
}
