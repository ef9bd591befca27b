package import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A system call that failed.
package struct SystemCallError: Error, Sendable, CustomStringConvertible {
    /// The system's number.
    package let errno: Int32
    /// The call.
    package let call: String

    /// A failure of this call with this number.
    package init(errno: Int32, call: String) {
        self.errno = errno
        self.call = call
    }

    /// A thread that could not be started.
    package init(_ refusal: ThreadRefusal) { self.init(errno: refusal.errno, call: "pthread_create") }

    /// Whether there is nothing at the path.
    package var isMissing: Bool { self.errno == ENOENT }

    /// Call, text and number.
    package var description: String { "\(call): \(Self.text(of: errno)) (\(errno))" }

    /// The system's words for a number.
    package static func text(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        _ = unsafe strerror_r(number, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
