internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// One request and its answer over a connection of its own. The system's URLSession refuses what chromedriver answers.
enum DriverConnection {
    /// Why there is no answer.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// The longest wait for a part of an answer. A page is loaded within it, or not at all.
    private static let limit = 60

    /// On a thread of its own: Swift's pool has too few for those that wait.
    static func ask(_ port: Int, _ request: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try asking(port, request) }) }
        }
    }

    private static func asking(_ port: Int, _ request: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, size)
            }
        }
        guard result == 0, unsafe send(descriptor, request, request.count, 0) == request.count else {
            throw Failed(description: "chromedriver takes no request")
        }
        var limit = timeval()
        limit.tv_sec = Self.limit
        unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                throw Failed(
                    description: count == 0
                        ? "chromedriver cut its answer" : "no answer in \(Self.limit) s"
                )
            }
            answer += buffer[..<count]
            if let (status, start, length) = head(answer), answer.count >= start + length {
                return (status, Array(answer[start..<start + length]))
            }
        }
    }

    /// The status, where the body begins, and how long it is; `nil` while the head is not whole.
    private static func head(_ answer: [UInt8]) -> (Int, Int, Int)? {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let text = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let length = text.firstMatch(of: /content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
        return (status, end.upperBound, length)
    }
}
