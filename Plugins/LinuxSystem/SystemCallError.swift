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
    /// The system's error number.
    package let errno: Int32
    /// The name of the call.
    package let call: String

    /// Makes an error from the name of the call and the error number.
    package init(errno: Int32, call: String) {
        self.errno = errno
        self.call = call
    }

    /// Makes the error of a thread that could not be started.
    package init(_ refusal: ThreadRefusal) { self.init(errno: refusal.errno, call: "pthread_create") }

    /// Whether the error means that there is no file at the path.
    package var isMissing: Bool { self.errno == ENOENT }

    /// The call, the system's text and the number.
    package var description: String { "\(call): \(Self.text(of: errno)) (\(errno))" }

    /// The system's text for an error number.
    package static func text(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        _ = unsafe strerror_r(number, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
