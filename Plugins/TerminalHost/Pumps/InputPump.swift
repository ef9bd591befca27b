internal import AdapterKit
internal import LinuxSystem
internal import PasscodeLock
internal import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads the terminal, and passes input to the program or to the run's screens.
///
/// The pump has a thread, because reading a terminal blocks. When the receiver of a terminal's input changes
/// between program and screen, waiting input is dropped, including unfinished sequences. So a late reply of
/// the terminal never counts as a digit, and no digit of the passcode reaches the program.
final class InputPump: Sendable {
    /// The receiver of input.
    enum Receiver: Sendable {
        case program
        /// A screen, which gets bytes.
        case screen
        /// A screen, which gets one line. After the line no input is read until the receiver is set again.
        case line
        /// No receiver. No input is read.
        case none
    }

    enum Command: Sendable {
        case attach(master: Int32, pipe: Int32?)
        case end
        case send(to: Receiver, dropping: Bool, CheckedContinuation<Bool, Never>)
        case withhold(CheckedContinuation<Void, Never>)
        case control(UInt8)
        case timeout(LockTimeout)
        case lookAtClock(CheckedContinuation<Int, Never>)
        /// The result of a read that the reader has made.
        case read(SecretBytes, Descriptors.Reading)
        case finish(CheckedContinuation<Void, Never>)

        /// Ends a command that no thread will carry out any more. Its caller is resumed, and its pipe is
        /// closed.
        func refuse() {
            switch self {
            case .send(_, _, let done): done.resume(returning: false)
            case .finish(let done), .withhold(let done): done.resume()
            case .lookAtClock(let done): done.resume(returning: 0)
            case .attach(_, let pipe): if let pipe { close(pipe) }
            case .end, .control, .timeout, .read: break
            }
        }
    }

    /// The time to wait for the rest of a key's sequence or a report.
    static let patience = Duration.milliseconds(25)
    /// The time to wait for the rest of a reply or a paste. It is limited, because Alt with a key can look
    /// like the start of a reply that never ends.
    static let longPatience = Duration.milliseconds(500)
    /// The interval at which the clock is read. If ``absence`` or more passes between two readings, the
    /// machine slept or the process was stopped.
    static let tick = Duration.seconds(1)
    static let absence = Duration.seconds(3)
    /// The limit of waiting bytes for a program that does not read its terminal. Bytes beyond the limit are
    /// searched for the lock key and then dropped.
    static let pendingLimit = 16 << 20
    /// The limit of waiting bytes for a program that does not read its pipe, or that is covered. At the limit
    /// reading stops.
    static let pipedLimit = 64 << 10
    /// The limit of waiting bytes for a screen. A person types fewer bytes, and a screen can handle this
    /// number quickly.
    static let screenLimit = 4096

    /// The limit of bytes that a change of the receiver drops. A terminal that answers a program's queries
    /// may send more bytes without a pause. The change must not wait for the end of the answers.
    static let dropLimit = 64 << 10

    /// The byte of the end-of-file key, Ctrl-D.
    static let endKey: UInt8 = 4

    let mailbox: Mailbox<Command>
    let input: Int32
    /// Whether the pump opened the input itself.
    private let ownsInput: Bool
    let isTerminal: Bool
    let isPiped: Bool
    let lockKey: LockKey
    let wantsFocus: @Sendable () -> Bool
    let due: LockDue
    let sinceBoot: @Sendable () -> Duration
    let deliver: @Sendable (GuardEvent) -> Void
    /// The number of bytes that were delivered to a screen and not handled yet.
    let undelivered = Atomic<Int>(0)
    private let isStarted = Atomic<Bool>(false)

    /// Creates a pump without a receiver. Its thread begins with ``start()``.
    ///
    /// - Parameters:
    ///   - input: the descriptor to read.
    ///   - isTerminal: whether input and output are a terminal. If so, waiting input is dropped whenever the
    ///     receiver changes. Otherwise all lines are used in order, unless ``send(to:dropping:)`` drops them.
    ///   - isPiped: whether the input is no terminal. If so, a screen gets the first lines, before the
    ///     program has got input. Later a screen gets only the lines after a lock key, until the program gets
    ///     input again. All other bytes go to the program.
    ///   - lockKey: the key that locks.
    ///   - wantsFocus: returns whether the program has asked for focus reports.
    ///   - due: the times at which the run is due to lock. Each typed key starts the idle time anew.
    ///   - sinceBoot: the boot clock, which includes time asleep.
    ///   - deliver: called with each event.
    /// - Throws: `systemFailure` when the process has no descriptor left.
    init(
        input: Int32,
        isTerminal: Bool,
        isPiped: Bool = false,
        lockKey: LockKey,
        wantsFocus: @escaping @Sendable () -> Bool,
        due: LockDue = LockDue(),
        sinceBoot: @escaping @Sendable () -> Duration,
        deliver: @escaping @Sendable (GuardEvent) -> Void
    ) throws(TerminalHostError) {
        do throws(SystemCallError) { mailbox = try Mailbox() } catch { throw TerminalHostError(error) }
        // The terminal is opened again where possible, so that reads do not block. A blocking read could stop
        // the whole pump: a key that sends a signal, such as Ctrl-C, discards earlier input, even input that
        // `poll(2)` has reported.
        let own = Descriptors.reopenTerminal(input, forWriting: false)
        self.input = own ?? input
        ownsInput = own != nil
        self.isTerminal = isTerminal
        self.isPiped = isPiped
        self.lockKey = lockKey
        self.wantsFocus = wantsFocus
        self.due = due
        self.sinceBoot = sinceBoot
        self.deliver = deliver
    }

    deinit {
        if ownsInput { close(input) }
    }

    /// Starts the thread, which ends with ``finish()``.
    ///
    /// If the input is a file, a second thread makes the reads. That thread ends when its last read has
    /// returned. A pipe that cannot be opened again is read in the same way.
    ///
    /// - Throws: `systemFailure` when the system has no thread left.
    func start() throws(TerminalHostError) {
        // A read of piped input may block although `poll(2)` has reported bytes: another process may read
        // the bytes of a pipe first, and the file system of a file may not answer. A read that blocks must
        // not stop the pump, because the run waits for the pump before it locks or ends.
        let pipe = isPiped ? Descriptors.reopenPipe(input) : nil
        let reader = isPiped && pipe == nil ? WorkerThread() : nil
        do throws(ThreadRefusal) {
            try reader?.start()
            try Threads.startAtOnce { [self] in
                Descriptors.blockBrokenPipeSignal()
                var loop = Loop(pump: self, pipe: pipe, reader: reader)
                loop.run()
                for command in mailbox.close() { command.refuse() }
                loop.finished?.resume()
            }
        } catch {
            if let pipe { close(pipe) }
            throw TerminalHostError(error)
        }
        isStarted.store(true, ordering: .releasing)
    }

    /// Ends the thread: it stops reading, drops unwritten input, and closes the program's pipe. Returns when
    /// the thread has ended, or at once if it was not started.
    func finish() async {
        guard isStarted.load(ordering: .acquiring) else { return }
        await withCheckedContinuation { post(.finish($0)) }
    }

    private func post(_ command: Command) {
        if !mailbox.post(command) { command.refuse() }
    }

    /// Connects the program. From now on the pump writes the program's input to it.
    ///
    /// - Parameters:
    ///   - master: the run's end of the program's terminal. It stays open until ``finish()``.
    ///   - pipe: the run's end of the program's standard input, if that is a pipe. The pump closes this end.
    func attach(master: Int32, pipe: Int32? = nil) { post(.attach(master: master, pipe: pipe)) }

    /// Ends the program's input after all earlier bytes: closes its pipe, or sends its terminal the
    /// end-of-file key.
    func end() { post(.end) }

    /// Changes the receiver. If input and output are a terminal, earlier input is dropped before the call
    /// returns. If the program already is the receiver and stays it, nothing is dropped.
    ///
    /// - Parameter dropping: whether earlier input is also dropped if the input is a terminal and the
    ///   output is not.
    /// - Returns: `true` when `receiver` is the program and the dropped input contained the lock key. The
    ///   event for the lock key is then delivered, and there is no receiver.
    @discardableResult
    func send(to receiver: Receiver, dropping: Bool = false) async -> Bool {
        await withCheckedContinuation { post(.send(to: receiver, dropping: dropping, $0)) }
    }

    /// Takes the receiver away, without dropping input. When the call returns, no more input reaches the
    /// program or a screen. The caller sets a receiver next, with ``send(to:dropping:)``.
    func withhold() async { await withCheckedContinuation { post(.withhold($0)) } }

    /// Sends the program a control byte that its terminal's driver turns into a signal.
    func sendControl(_ byte: UInt8) { post(.control(byte)) }

    /// Sets the timeout. After an absence of at least this length, the program gets no input until the next
    /// ``send(to:dropping:)``. The same holds after a shorter absence, if one of the times of ``LockDue`` has
    /// passed when the absence ends.
    func setTimeout(_ timeout: LockTimeout) { post(.timeout(timeout)) }

    /// Checks whether the machine slept or the process was stopped since the last check. If so, the absence
    /// is reported as an event.
    ///
    /// - Returns: the number of absences so far.
    func lookAtClock() async -> Int {
        await withCheckedContinuation { post(.lookAtClock($0)) }
    }

    /// Notes that a screen has handled bytes. Only a limited number of unhandled bytes is kept for a screen.
    func wasTaken(_ bytes: SecretBytes) { undelivered.subtract(bytes.count, ordering: .relaxed) }
}
