#if canImport(Glibc)
internal import Glibc
#endif

/// A connection of HTTP/1.1 to this machine that blocks its thread, so that nothing but the server's time is measured.
final class Connection {
    struct Failed: Error { let what: String }

    private let descriptor: Int32
    private var buffer: [UInt8]

    /// - Parameters:
    ///   - port: where the server listens.
    ///   - capacity: the most bytes that an answer may have.
    init(_ port: Int, capacity: Int = 1 << 17) throws {
        buffer = [UInt8](repeating: 0, count: capacity)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failed(what: "no socket") }
        var one: Int32 = 1
        unsafe setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &one,
            socklen_t(MemoryLayout<Int32>.size)
        )
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
        guard result == 0 else { throw Failed(what: "no connection") }
    }

    deinit { close(descriptor) }

    /// Sends a request; answers with the head, after all of the body has come.
    func ask(_ request: [UInt8]) throws -> String {
        try send(request)
        var count = 0
        while true {
            count += try receive(at: count)
            guard let end = end(ofHeadIn: count) else { continue }
            let head = String(decoding: buffer[..<end], as: UTF8.self)
            let length = try Self.field("content-length", of: head).flatMap { Int($0) } ?? 0
            while count < end + length { count += try receive(at: count) }
            return head
        }
    }

    /// Sends a request, and waits for the first part of a body that does not end.
    func open(_ request: [UInt8]) throws {
        try send(request)
        var count = 0
        while true {
            count += try receive(at: count)
            if let end = end(ofHeadIn: count), count > end { return }
        }
    }

    /// A field of a head.
    static func field(_ name: String, of head: String) throws -> Substring? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("\(name):") {
            return line.dropFirst(name.count + 1).drop { $0 == " " }
        }
        return nil
    }

    private func end(ofHeadIn count: Int) -> Int? {
        guard count >= 4 else { return nil }
        for index in 3..<count where buffer[index] == 10 {
            if buffer[index - 1] == 13, buffer[index - 2] == 10, buffer[index - 3] == 13 { return index + 1 }
        }
        return nil
    }

    private func send(_ request: [UInt8]) throws {
        guard unsafe Glibc.send(descriptor, request, request.count, 0) == request.count else {
            throw Failed(what: "not sent")
        }
    }

    private func receive(at place: Int) throws -> Int {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return unsafe recv(descriptor, base + place, bytes.count - place, 0)
        }
        guard count > 0 else { throw Failed(what: "the server closed the connection") }
        return count
    }
}
