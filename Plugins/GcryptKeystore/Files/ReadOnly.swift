#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension SystemCallError {
    /// Whether the file system takes no writes.
    var isReadOnly: Bool { errno == EROFS }
}
