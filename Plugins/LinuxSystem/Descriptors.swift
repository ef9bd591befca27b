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

/// Reads, writes and opens descriptors, on threads that may block.
package enum Descriptors {
    /// The largest number of descriptors that the process may have open; `nil` if the system does not report
    /// it.
    package static var limit: UInt64? {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = unsafe getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return status == 0 ? UInt64(limit.rlim_cur) : nil
    }

    /// The result of a read.
    package enum Reading: Sendable, Equatable {
        case bytes(Int)
        /// No bytes are available now. Only a non-blocking descriptor gives this result.
        case nothing
        case end
        /// The system's error number.
        case failed(Int32)
    }

    /// Reads once. A read that a signal interrupts is repeated.
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

    /// Writes all bytes. The call blocks until all bytes are written.
    ///
    /// - Returns: `false` if the bytes cannot be written, for instance because no process reads the other
    ///   end; `errno` has the reason.
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

    /// Writes as many bytes as the descriptor accepts at once.
    ///
    /// - Returns: the number of bytes that were written; `nil` if the bytes cannot be written, for instance
    ///   because no process reads the other end.
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

    /// Opens the terminal of a descriptor again, with a new non-blocking descriptor. Returns `nil` if the
    /// descriptor is not a terminal or the terminal cannot be opened.
    package static func reopenTerminal(_ descriptor: Int32, forWriting: Bool) -> Int32? {
        guard isTerminal(descriptor) else { return nil }
        let flags = (forWriting ? O_WRONLY : O_RDONLY) | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        var name = [CChar](repeating: 0, count: 128)
        var opened: Int32 = -1
        if unsafe ttyname_r(descriptor, &name, name.count) == 0 {
            opened = aboveStandard(unsafe open(name, flags))
        }
        #if os(Linux)
        // After `su`, the terminal belongs to another user and cannot be opened by its name. The controlling
        // terminal of a process can always be opened as `/dev/tty`. `tcgetsid` succeeds only for that
        // terminal. On Darwin, `poll(2)` does not support `/dev/tty`.
        if opened < 0, tcgetsid(descriptor) == getsid(0) {
            opened = aboveStandard(unsafe open("/dev/tty", flags))
        }
        #endif
        return opened < 0 ? nil : opened
    }

    /// Opens the read end of a pipe or FIFO again, with a new non-blocking descriptor. Returns `nil` if the
    /// descriptor is no such end, or if it cannot be opened again.
    ///
    /// Non-blocking mode is a property of the open file. Other processes may share the open file of
    /// `descriptor`, so the new descriptor has an open file of its own. On the new descriptor, `poll(2)` does
    /// not report the end of a FIFO that has no writer. So the caller waits on `descriptor`, and reads from
    /// the new one.
    package static func reopenPipe(_ descriptor: Int32) -> Int32? {
        #if os(Linux)
        var status = stat()
        // `lseek(2)` fails for a pipe. It comes first, because `fstat(2)` may block for a file whose file
        // system does not answer.
        guard lseek(descriptor, 0, SEEK_CUR) < 0, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_WRONLY,
            unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO
        else { return nil }
        let name = "/proc/thread-self/fd/\(descriptor)"
        let opened = aboveStandard(unsafe open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        return opened < 0 ? nil : opened
        #else
        // Other systems have no name for a pipe.
        return nil
        #endif
    }

    /// Writes all bytes. The call blocks until all bytes are written.
    ///
    /// - Returns: `false` if the bytes cannot be written; `errno` has the reason.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe write($0, to: descriptor) }
    }

    /// Blocks SIGPIPE on the current thread. After that, a write of this thread to a pipe without a reader
    /// fails, and no signal ends the process.
    package static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Makes the descriptor non-blocking. The change applies to all processes that share the open file
    /// description.
    package static func setNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Makes a pipe. Both ends are non-blocking, closed on exec, and above the numbers of the standard
    /// streams. Returns `nil` and sets `errno` if the pipe cannot be made.
    package static func makePipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        ends = ends.map(aboveStandard)
        guard !ends.contains(-1) else {
            let cause = errno
            for end in ends where end >= 0 { close(end) }
            errno = cause
            return nil
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            setNonBlocking(end)
        }
        return (ends[0], ends[1])
    }
}
