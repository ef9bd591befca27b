#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Wakes a thread that waits in `poll(2)`, once and for good.
final class StopPipe: Sendable {
    /// Readable from ``stop()`` on.
    let descriptor: Int32
    private let writeEnd: Int32

    init() {
        guard let pipe = Descriptors.makePipe() else { preconditionFailure("no pipe can be opened") }
        (descriptor, writeEnd) = pipe
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    func stop() { Descriptors.write([1], to: writeEnd) }

    /// Whether ``stop()`` was called.
    var isStopped: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, 0) > 0
    }
}
