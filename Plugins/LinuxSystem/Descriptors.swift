#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

#if canImport(Glibc)
private let systemRead = unsafe Glibc.read
private let systemWrite = unsafe Glibc.write
#elseif canImport(Musl)
private let systemRead = unsafe Musl.read
private let systemWrite = unsafe Musl.write
#elseif canImport(Darwin)
private let systemRead = unsafe Darwin.read
private let systemWrite = unsafe Darwin.write
#endif

/// Reading, writing and opening of descriptors, for threads that may block.
package enum Descriptors {
    /// How many descriptors the process may have open; `nil` where the system does not say.
    package static var limit: UInt64? {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = unsafe getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return status == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// What a read gave.
    package enum Reading: Sendable, Equatable {
        case bytes(Int)
        /// Nothing there now, of a descriptor that does not block.
        case nothing
        case end
        /// The system's number.
        case failed(Int32)
    }

    /// Reads once; an interruption by a signal is passed over.
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        while true {
            let count = unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            case let number: return .failed(number)
            }
        }
    }

    /// Writes all of it, waiting as long as it takes.
    ///
    /// - Returns: `false` where it cannot be written, as where no process reads the other end; `errno` says why.
    @discardableResult
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe systemWrite(descriptor, bytes.baseAddress! + offset, bytes.count - offset)
            if count > 0 {
                offset += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                _ = DescriptorWait.isReady(descriptor, for: .writable)
            default: return false
            }
        }
        return true
    }

    /// Writes what there is room for.
    ///
    /// - Returns: how much that was; `nil` where no process reads the other end.
    package static func writeOnce(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int? {
        while true {
            let count = unsafe systemWrite(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: return nil
            }
        }
    }

    /// A terminal opened once more, for use without blocking; `nil` for what is none or cannot be opened.
    package static func reopenTerminal(_ descriptor: Int32, forWriting: Bool) -> Int32? {
        var name = [CChar](repeating: 0, count: 128)
        guard isatty(descriptor) == 1, unsafe ttyname_r(descriptor, &name, name.count) == 0 else {
            return nil
        }
        let opened = unsafe open(name, (forWriting ? O_WRONLY : O_RDONLY) | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        return opened < 0 ? nil : opened
    }

    /// Writes all of it, waiting as long as it takes.
    ///
    /// - Returns: `false` where it cannot be written; `errno` says why.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe write($0, to: descriptor) }
    }

    /// Has reads and writes not wait, for all processes that share the descriptor.
    package static func setNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// A pipe, both ends closed on exec and non-blocking; `nil` with `errno` set.
    package static func makePipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            setNonBlocking(end)
        }
        return (ends[0], ends[1])
    }
}
