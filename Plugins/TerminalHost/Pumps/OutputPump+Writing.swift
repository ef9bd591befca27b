internal import LinuxSystem
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes to the terminal, as fast as the terminal accepts bytes.
extension OutputPump.Loop {
    mutating func put(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe put($0) }
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        if pending.isEmpty { offset = unsafe offer(bytes) }
        if offset < bytes.count { unsafe pending.append(contentsOf: bytes[offset...]) }
    }

    /// Writes the pending bytes that the terminal accepts now.
    mutating func drain() {
        let rest = written
        written += unsafe pending.withUnsafeBytes { bytes in
            unsafe offer(UnsafeRawBufferPointer(rebasing: bytes[rest...]))
        }
        guard written == pending.count else { return }
        pending = []
        written = 0
    }

    /// Writes the bytes that the terminal accepts now, and returns their number. If the write fails, all
    /// bytes count as written.
    private func offer(_ bytes: UnsafeRawBufferPointer) -> Int {
        var offset = 0
        while offset < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
            // A pipe that is ready for writing accepts `PIPE_BUF` bytes without blocking.
            let limit = pump.isNonBlocking ? rest.count : min(rest.count, Int(PIPE_BUF))
            if !pump.isNonBlocking, !hasRoom(within: .zero) { return offset }
            let count = unsafe Descriptors.writeOnce(
                UnsafeRawBufferPointer(rebasing: rest[0..<limit]),
                to: pump.terminal
            )
            guard let count else {
                tellFailure(errno)
                return bytes.count
            }
            if count == 0 { return offset }
            offset += count
        }
        return offset
    }

    private func tellFailure(_ error: Int32) {
        if pump.isNonBlocking || pump.failure != nil { return }
        pump.error.store(error, ordering: .relaxed)
        pump.failed(error)
    }

    private func hasRoom(within limit: Duration) -> Bool {
        DescriptorWait.isReady(pump.terminal, for: .writable, atMost: limit)
    }

    /// Writes all pending bytes. If the terminal accepts no byte for a second, the rest is dropped. With
    /// ``OutputPump/waitsForReader``, the call waits on instead. After ``OutputPump/hurry()`` the rest is
    /// dropped at the latest when ``OutputPump/timeToWait`` is used up.
    ///
    /// - Returns: whether the terminal has accepted all bytes.
    @discardableResult
    mutating func flush() -> Bool {
        while !pending.isEmpty {
            let limit = pump.timeToWait
            guard limit > .zero, hasRoom(within: limit) else {
                if pump.waitsForReader { continue }
                isWhole = false
                pending = []
                written = 0
                // The output that the driver still holds is discarded. If it were kept, the thread that
                // closes the terminal would wait until the terminal has accepted this output.
                _ = tcflush(pump.terminal, TCOFLUSH)
                return false
            }
            drain()
        }
        return true
    }
}
