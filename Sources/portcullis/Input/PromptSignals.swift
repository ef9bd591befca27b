internal import CLinux
internal import LinuxSystem

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The signals that end, stop or resume the process, held back while a prompt hides what is typed.
///
/// The terminal is put back first; then the signal does what it would have done. What is ignored stays ignored.
struct PromptSignals: ~Copyable {
    private static let held = SignalWatch.ending + [SIGTSTP, SIGCONT]
    /// Never closed: a handler that still runs on another thread must not write into a file of the same number.
    private static let pipe = Descriptors.makePipe()

    /// Readable while there is a signal to take.
    let descriptor: Int32
    private let earlier: [(number: Int32, action: sigaction)]

    /// Holds signals back from now on; not while ``SignalWatch`` has them.
    ///
    /// - Throws: `SecretInput.Failure` when the process has no descriptors left.
    init() throws(SecretInput.Failure) {
        guard let pipe = Self.pipe else {
            throw SecretInput.Failure(description: "too many files are open to ask for anything")
        }
        descriptor = pipe.read
        var earlier: [(number: Int32, action: sigaction)] = []
        for number in Self.held {
            var action = sigaction()
            guard unsafe sigaction(number, nil, &action) == 0, unsafe Self.isDefault(action) else { continue }
            earlier.append((number, action))
        }
        self.earlier = earlier
        let numbers = earlier.map(\.number)
        // What came after an earlier prompt is of no concern here.
        while Self.take(pipe.read) != nil {}
        unsafe clinux_watch_signals(pipe.write, numbers, Int32(numbers.count))
    }

    deinit {
        for (number, action) in earlier {
            var action = action
            _ = unsafe sigaction(number, &action, nil)
        }
        // One that came at the last moment is not lost.
        while let number = Self.take(descriptor) {
            if number != SIGCONT { kill(getpid(), number) }
        }
    }

    @unsafe
    private static func isDefault(_ action: sigaction) -> Bool {
        #if canImport(Glibc)
        unsafe action.__sigaction_handler.sa_handler == nil
        #elseif canImport(Musl)
        unsafe action.__sa_handler.sa_handler == nil
        #else
        unsafe action.__sigaction_u.__sa_handler == nil
        #endif
    }

    /// The next signal that came; `nil` for none.
    func next() -> Int32? { Self.take(descriptor) }

    private static func take(_ descriptor: Int32) -> Int32? {
        var number: UInt8 = 0
        return unsafe read(descriptor, &number, 1) == 1 ? Int32(number) : nil
    }

    /// Has the process ended by a signal, as if it had never been held back.
    func end(by number: Int32) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
        // Where even that is blocked.
        exit(128 + number)
    }
}
