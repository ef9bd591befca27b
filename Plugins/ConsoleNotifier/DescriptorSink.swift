#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension ConsoleNotifier {
    /// A sink that writes to a file descriptor, which stays the caller's.
    ///
    /// Each line is written whole, waiting as long as the reader takes. A descriptor that is closed or whose
    /// reader is gone takes nothing any more; that is no reason to end a program.
    public static func descriptorSink(_ descriptor: Int32) -> @Sendable ([UInt8]) -> Void {
        { line in
            var rest = line[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    unsafe write(descriptor, bytes.baseAddress, bytes.count)
                }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&wait, 1, -1)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
