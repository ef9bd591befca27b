internal import CLinux

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Ends another thread's ``DescriptorWait``. Any thread may use the same instance.
package final class Wake: Sendable {
    /// The descriptor, which is readable from ``raise()`` until ``clear()``.
    package let descriptor: Int32
    private let writeEnd: Int32

    /// Makes a wake. Throws ``SystemCallError`` if the process has reached the limit of open descriptors.
    package init() throws(SystemCallError) {
        #if os(Linux)
        descriptor = Descriptors.aboveStandard(eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)))
        writeEnd = descriptor
        guard descriptor >= 0 else { throw SystemCallError(errno: errno, call: "eventfd") }
        #else
        guard let pipe = Descriptors.makePipe() else { throw SystemCallError(errno: errno, call: "pipe") }
        (descriptor, writeEnd) = pipe
        #endif
    }

    deinit {
        close(descriptor)
        if writeEnd != descriptor { close(writeEnd) }
    }

    /// Makes the descriptor readable.
    package func raise() {
        var one: UInt64 = 1
        // The write fails only if the counter or pipe is full. The descriptor is then readable anyway.
        _ = unsafe write(writeEnd, &one, MemoryLayout<UInt64>.size)
    }

    /// Makes the descriptor unreadable again.
    package func clear() {
        var count: UInt64 = 0
        while unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) > 0 {}
    }

    /// Whether ``raise()`` was called after the last ``clear()``.
    package var isRaised: Bool { DescriptorWait.isReady(descriptor, atMost: .zero) }
}
