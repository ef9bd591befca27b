#if Passkeys
import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One request over HTTP/1.1 to a driver on this machine, on a connection of its own.
///
/// Foundation's URLSession on Linux does not take chromedriver's head ("Failed writing header").
enum DriverConnection {
    struct Failure: Error { let what: String }

    /// The body of the answer, whatever its status is.
    static func exchange(_ method: String, _ path: String, port: UInt16, body: [UInt8]) async throws
        -> [UInt8]
    {
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let request = Array(head.utf8) + body
        return try await withCheckedThrowingContinuation { continuation in
            // Not on a thread of the pool: the answer may take seconds.
            DispatchQueue.global().async { continuation.resume(with: Result { try send(request, port) }) }
        }
    }

    private static func send(_ request: [UInt8], _ port: UInt16) throws -> [UInt8] {
        #if canImport(Glibc)
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard socket >= 0 else { throw Failure(what: "no socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = unsafe withUnsafeBytes(of: &address) { bytes in
            let pointer = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return unsafe connect(socket, pointer, socklen_t(bytes.count)) == 0
        }
        guard isConnected else { throw Failure(what: "no connection") }
        var sent = 0
        while sent < request.count {
            let count = unsafe request[sent...].withUnsafeBytes {
                unsafe write(socket, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw Failure(what: "the request could not be sent") }
            sent += count
        }
        return try answer(on: socket)
    }

    private static func answer(on socket: Int32) throws -> [UInt8] {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let body = body(of: answer) { return body }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(socket, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(what: "the answer was cut") }
            answer += buffer[..<count]
        }
    }

    /// The body, once all of it is there.
    private static func body(of answer: [UInt8]) -> [UInt8]? {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        guard let length = head.firstMatch(of: /content-length: *(\d+)/).flatMap({ Int($0.1) }),
            answer.count - end.upperBound >= length
        else { return nil }
        return Array(answer[end.upperBound..<end.upperBound + length])
    }
}
#endif
