internal import CLinux
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Delivers signals as bytes in a pipe until ``end()`` is called. A signal handler in C writes the bytes.
///
/// Any number of pipes may receive the same signal. When the last of these pipes has ended, the signal is
/// handled as it was before the first of these pipes was made.
final class SignalPipe: Sendable {
    private struct Watch: Sendable {
        let number: Int32
        var isOver = false
        /// The signals whose earlier handling was restored.
        var restored: UInt64 = 0
    }

    private let pipe: (read: Int32, write: Int32)
    private let watch: Mutex<Watch>

    /// Begins to receive signals.
    ///
    /// - Parameters:
    ///   - noted: the signals that come through the pipe.
    ///   - silenced: the signals that have no effect until ``end()``, and do not come through the pipe.
    ///   - sparing: which signals of the two lists are left out, so that they keep their present handling.
    /// - Throws: `systemFailure` when the process has no descriptor left or has too many pipes for signals.
    init(
        _ noted: [Int32],
        silencing silenced: [Int32] = [],
        sparing: SignalWatch.Sparing
    ) throws(TerminalHostError) {
        guard let pipe = Descriptors.makePipe() else {
            throw TerminalHostError(.systemFailure, "cannot open a pipe", errno: errno)
        }
        let mode =
            switch sparing {
            case .none: CLINUX_SPARES_NONE
            case .ignored: CLINUX_SPARES_IGNORED
            case .handled: CLINUX_SPARES_HANDLED
            }
        let number = clinux_watch_signals(
            pipe.write,
            Self.set(noted + silenced),
            Self.set(noted),
            Int32(mode)
        )
        guard number >= 0 else {
            let cause = errno
            close(pipe.read)
            close(pipe.write)
            throw TerminalHostError(.systemFailure, "cannot watch signals", errno: cause)
        }
        self.pipe = pipe
        watch = Mutex(Watch(number: number))
    }

    deinit {
        end()
        close(pipe.read)
        close(pipe.write)
    }

    private static func set(_ signals: [Int32]) -> UInt64 {
        signals.reduce(into: 0) { $0 |= 1 << UInt64($1 - 1) }
    }

    /// A descriptor that is readable while a signal is waiting.
    var descriptor: Int32 { pipe.read }

    /// Reads the next waiting signal; `nil` when none is waiting.
    func next() -> Int32? {
        var number: UInt8 = 0
        return unsafe read(pipe.read, &number, 1) == 1 ? Int32(number) : nil
    }

    /// Stops receiving signals. A second call does nothing.
    ///
    /// A signal that came earlier and was not read is sent again, so that it has its usual effect. SIGCONT
    /// and SIGWINCH are not sent again.
    func end() {
        let isFirst = watch.withLock { watch in
            defer { watch.isOver = true }
            if !watch.isOver { watch.restored = clinux_unwatch_signals(watch.number) }
            return !watch.isOver
        }
        guard isFirst else { return }
        while let number = next() {
            if number != SIGCONT, number != SIGWINCH { _ = send(number) }
        }
    }

    /// Sends this process a signal that came through this pipe. The signal is sent only after ``end()``, and
    /// only if no other pipe received the same signal at the time of ``end()``.
    ///
    /// - Returns: whether the signal was sent.
    func send(_ number: Int32) -> Bool {
        let isRestored = watch.withLock { $0.restored & Self.set([number]) != 0 }
        if isRestored { kill(getpid(), number) }
        return isRestored
    }
}
