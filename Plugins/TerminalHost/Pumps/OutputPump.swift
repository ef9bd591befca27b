internal import LinuxSystem
internal import PasscodeLock
internal import PortcullisCore
internal import Synchronization
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes to the terminal: the program's output while it may be seen, and the run's screens.
///
/// The pump has a thread, because writing to a terminal can block. While the program's output must not be
/// seen, the pump buffers the output and does not write it. When the buffer is full, the program waits, as it
/// would for a stopped terminal.
final class OutputPump: Sendable {
    enum Command: Sendable {
        case attach(master: Int32)
        case hold(CheckedContinuation<ProgramModes, Never>)
        case release(leaving: Bool, saying: String, CheckedContinuation<ProgramModes, Never>)
        case goOn(CheckedContinuation<Void, Never>)
        case renewFocusReports
        case timeout(LockTimeout)
        case draw([UInt8])
        case flush(CheckedContinuation<Void, Never>)
        case finish(isCovered: Bool, CheckedContinuation<Bool, Never>)
        case abandon

        /// Ends a command that no thread will carry out any more. Its caller is resumed.
        func refuse() {
            switch self {
            case .hold(let done), .release(_, _, let done): done.resume(returning: ProgramModes())
            case .goOn(let done), .flush(let done): done.resume()
            case .finish(_, let done): done.resume(returning: true)
            case .attach, .renewFocusReports, .timeout, .draw, .abandon: break
            }
        }
    }

    /// The limit of kept output, in bytes.
    static let keptLimit = 1 << 20
    /// The largest number of bytes that are read before they are written. One read of a pseudo-terminal
    /// returns no more.
    ///
    /// If more bytes were collected before writing, the program and the terminal would work in turns and not
    /// at the same time. With 64 KiB, output takes a quarter more time on two cores.
    static let chunk = 4096
    /// The time for which the start of a sequence is held back while its end may still come.
    static let patience = Duration.milliseconds(20)
    /// The time that ``flush()`` and ``finish(isCovered:)`` wait for a terminal that accepts nothing. After
    /// this time, the bytes that wait for it are dropped. ``finish(isCovered:)`` then tries once more to show
    /// the later output. For a pipe see ``waitForReader()``, and for a signal ``hurry()``.
    static let lastPatience = Duration.milliseconds(1_000)

    let mailbox: Mailbox<Command>
    let focus = Atomic<Bool>(false)
    /// The descriptor of the terminal.
    let terminal: Int32
    /// Whether a write returns at once when the terminal accepts nothing.
    let isNonBlocking: Bool
    let face: GuardFace
    /// The multiplexers around the program.
    let around: SurroundingTerminals
    let due: LockDue
    let sinceBoot: @Sendable () -> Duration
    let withheld: @Sendable () -> Void
    let failed: @Sendable (Int32) -> Void
    /// The `errno` of the first failed write to an output that is no terminal; 0 if none has failed.
    let error = Atomic<Int32>(0)
    private let isReaderAwaited = Atomic<Bool>(false)
    /// The time at which the rest of the output is dropped; `nil` before ``hurry()``.
    private let dropTime = Mutex<ContinuousClock.Instant?>(nil)

    /// Whether the program has asked for focus reports.
    var programWantsFocus: Bool { focus.load(ordering: .relaxed) }

    /// Whether ``finish(isCovered:)`` waits for the reader of a pipe, however long.
    var waitsForReader: Bool { isReaderAwaited.load(ordering: .relaxed) }

    /// Whether ``hurry()`` was called.
    var isHurried: Bool { dropTime.withLock { $0 != nil } }

    /// The time to wait for a terminal that accepts nothing. After ``hurry()`` it shrinks, down to zero and
    /// below.
    var timeToWait: Duration {
        guard let dropTime = dropTime.withLock({ $0 }) else { return Self.lastPatience }
        return ContinuousClock.now.duration(to: dropTime)
    }

    /// The `errno` of the first failed write to an output that is no terminal; `nil` if none has failed.
    var failure: Int32? {
        let error = error.load(ordering: .relaxed)
        return error == 0 ? nil : error
    }

    /// Creates a pump that holds the program's output. Its thread begins with ``start()``.
    ///
    /// - Parameters:
    ///   - terminal: the descriptor to write to.
    ///   - face: how screens are shown on the terminal.
    ///   - around: the multiplexers around the program.
    ///   - due: the times at which the run is due to lock.
    ///   - sinceBoot: the boot clock, which includes time asleep.
    ///   - withheld: called when the pump begins to withhold output after an absence. ``goOn()`` or
    ///     ``release(leaving:saying:)`` ends the withholding.
    ///   - failed: called once with the `errno` of a failed write. It is not called for a terminal, because a
    ///     closed terminal sends a signal.
    /// - Throws: `systemFailure` when the process has no descriptor left.
    init(
        terminal: Int32,
        face: GuardFace,
        around: SurroundingTerminals = .none,
        due: LockDue = LockDue(),
        sinceBoot: @escaping @Sendable () -> Duration,
        withheld: @escaping @Sendable () -> Void = {},
        failed: @escaping @Sendable (Int32) -> Void = { _ in }
    ) throws(TerminalHostError) {
        do throws(SystemCallError) { mailbox = try Mailbox() } catch { throw TerminalHostError(error) }
        // Non-blocking mode is a property of the open file, and other processes share the open file of
        // `terminal`. So the terminal is opened again, and only this new open file is non-blocking.
        let own = Descriptors.reopenTerminal(terminal, forWriting: true)
        self.terminal = own ?? terminal
        self.isNonBlocking = own != nil
        self.face = face
        self.around = around
        self.due = due
        self.sinceBoot = sinceBoot
        self.withheld = withheld
        self.failed = failed
    }

    deinit {
        if isNonBlocking { close(terminal) }
    }

    /// Starts the thread, which ends with ``finish(isCovered:)``.
    ///
    /// - Throws: `systemFailure` when the system has no thread left.
    func start() throws(TerminalHostError) {
        do throws(ThreadRefusal) {
            try Threads.startAtOnce { [self] in
                Descriptors.blockBrokenPipeSignal()
                var loop = Loop(pump: self)
                loop.run()
                for command in mailbox.close() { command.refuse() }
            }
        } catch {
            throw TerminalHostError(error)
        }
    }

    /// Begins to read a program's output.
    ///
    /// - Parameter master: the run's end of the program's terminal. It stays open until the pump has ended.
    func attach(master: Int32) { post(.attach(master: master)) }

    /// Stops showing the program's output.
    ///
    /// - Returns: the program's modes, once no more output can appear.
    func hold() async -> ProgramModes {
        await withCheckedContinuation { post(.hold($0)) }
    }

    /// Shows the program's output again, beginning with the kept output.
    ///
    /// - Parameters:
    ///   - leaving: whether a covering screen is shown and is to be removed.
    ///   - text: the text to write before the program's output.
    /// - Returns: the program's modes.
    func release(leaving: Bool, saying text: String = "") async -> ProgramModes {
        await withCheckedContinuation { post(.release(leaving: leaving, saying: text, $0)) }
    }

    /// Sets the timeout. After an absence of at least this length, output is withheld until ``goOn()`` or
    /// ``release(leaving:saying:)``. The same holds after a shorter absence, if one of the times of
    /// ``LockDue`` has passed when the absence ends.
    func setTimeout(_ timeout: LockTimeout) { post(.timeout(timeout)) }

    /// Shows the output that the pump has withheld since an absence. The run calls this method if it did not
    /// lock after the absence. Output that ``hold()`` holds back stays held back.
    func goOn() async {
        await withCheckedContinuation { post(.goOn($0)) }
    }

    /// Asks the terminal again for focus reports, once its output is between two sequences and may be seen.
    func renewFocusReports() { post(.renewFocusReports) }

    /// Writes bytes of the run's screens.
    func draw(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        post(.draw(bytes))
    }

    /// Waits until all earlier bytes are written. If the terminal accepts no byte for ``lastPatience``, the
    /// rest is dropped. With ``waitsForReader``, the call waits on instead.
    func flush() async {
        await withCheckedContinuation { post(.flush($0)) }
    }

    /// Ends the pump, and restores the terminal's state from before the run. If the program's output is not
    /// held (see ``hold()``), the pump first shows the rest of this output.
    ///
    /// - Parameter isCovered: whether a covering screen is shown. If so, the covered content is erased.
    /// - Returns: `false` when a part of the output was dropped, because it was not accepted in time.
    @discardableResult
    func finish(isCovered: Bool) async -> Bool {
        await withCheckedContinuation { post(.finish(isCovered: isCovered, $0)) }
    }

    /// Makes ``finish(isCovered:)`` wait without a limit for a reader that accepts nothing.
    func waitForReader() { isReaderAwaited.store(true, ordering: .relaxed) }

    /// Makes ``finish(isCovered:)`` drop the output that is not written within ``lastPatience`` from now.
    /// This also holds for a slow terminal or reader that still accepts some output. The call also takes
    /// effect if ``finish(isCovered:)`` is already waiting.
    func hurry() {
        dropTime.withLock { if $0 == nil { $0 = ContinuousClock.now + Self.lastPatience } }
        isReaderAwaited.store(false, ordering: .relaxed)
    }

    /// Ends the thread and leaves the terminal as it is. The call is for a run whose start has failed, and
    /// for a run that ends in the background, where the terminal shows what belongs to another process.
    func abandon() { post(.abandon) }

    private func post(_ command: Command) {
        if !mailbox.post(command) { command.refuse() }
    }
}
