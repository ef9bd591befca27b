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

/// The one that writes to the terminal: the program's output while it may be seen, and our own screens.
///
/// It is a thread, because writing to a terminal can block. While it holds, what the program writes is kept up
/// to a limit; beyond it the program waits, as it would for a terminal that was stopped.
final class OutputPump: Sendable {
    enum Command: Sendable {
        case attach(master: Int32)
        case hold(CheckedContinuation<ProgramModes, Never>)
        case release(leaving: Bool, saying: String, CheckedContinuation<ProgramModes, Never>)
        case goOn(CheckedContinuation<Void, Never>)
        case timeout(LockTimeout)
        case draw([UInt8])
        case flush(CheckedContinuation<Void, Never>)
        case finish(isCovered: Bool, CheckedContinuation<Void, Never>)
        case abandon

        /// There is no thread any more that obeys it.
        func refuse() {
            switch self {
            case .hold(let done), .release(_, _, let done): done.resume(returning: ProgramModes())
            case .goOn(let done), .flush(let done), .finish(_, let done): done.resume()
            case .attach, .timeout, .draw, .abandon: break
            }
        }
    }

    /// How much output is kept while held.
    static let keptLimit = 1 << 20
    /// What a pseudo-terminal gives in one read.
    ///
    /// Collecting more before writing makes program and terminal take turns instead of working at once: 64 KiB
    /// costs a quarter more time on two cores.
    static let chunk = 4096
    /// How long the start of a sequence is kept back in the hope of its end.
    static let patience = Duration.milliseconds(20)
    /// How long the terminal may take nothing at the end before the rest is given up.
    static let lastPatience = Duration.milliseconds(1_000)

    let mailbox: Mailbox<Command>
    let focus = Atomic<Bool>(false)
    /// Where output goes, and whether writing there says so instead of blocking.
    let terminal: Int32
    let isNonBlocking: Bool
    let face: GuardFace
    /// What the terminal is in.
    let around: SurroundingTerminals
    let sinceBoot: @Sendable () -> Duration
    let withheld: @Sendable () -> Void
    let failed: @Sendable (Int32) -> Void
    /// Whether it was told that nothing can be written.
    let hasFailed = Atomic<Bool>(false)

    /// Whether the program asked to be told of the terminal's focus.
    var programWantsFocus: Bool { focus.load(ordering: .relaxed) }

    /// A pump that holds at first; its thread begins with ``start()``.
    ///
    /// - Parameters:
    ///   - terminal: where output goes.
    ///   - face: how screens are shown there.
    ///   - around: what that terminal is in.
    ///   - sinceBoot: the boot clock, which counts the time asleep.
    ///   - withheld: called when output is kept back after an absence, until ``goOn()`` or ``release(leaving:saying:)``.
    ///   - failed: called once with the `errno` of what keeps output from being written; not for a terminal, whose end is
    ///     a signal.
    /// - Throws: when the process has no descriptor left.
    init(
        terminal: Int32,
        face: GuardFace,
        around: SurroundingTerminals = .none,
        sinceBoot: @escaping @Sendable () -> Duration,
        withheld: @escaping @Sendable () -> Void = {},
        failed: @escaping @Sendable (Int32) -> Void = { _ in }
    ) throws(TerminalHostError) {
        do throws(SystemCallError) { mailbox = try Mailbox() } catch { throw TerminalHostError(error) }
        // Opened anew, because not to block is a property of the open file, which others share with us.
        let own = Descriptors.reopenTerminal(terminal, forWriting: true)
        self.terminal = own ?? terminal
        self.isNonBlocking = own != nil
        self.face = face
        self.around = around
        self.sinceBoot = sinceBoot
        self.withheld = withheld
        self.failed = failed
    }

    deinit {
        if isNonBlocking { close(terminal) }
    }

    /// Starts the thread, which ends with ``finish(isCovered:)``.
    ///
    /// - Throws: when the system has no thread left.
    func start() throws(TerminalHostError) {
        do throws(ThreadRefusal) {
            try Threads.startAtOnce { [self] in
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
    /// - Parameter master: our end of its terminal, which stays open until the pump has ended.
    func attach(master: Int32) { post(.attach(master: master)) }

    /// Stops showing the program's output.
    ///
    /// - Returns: once none can appear any more: the modes the program left.
    func hold() async -> ProgramModes {
        await withCheckedContinuation { post(.hold($0)) }
    }

    /// Shows the program's output again, first what was kept.
    ///
    /// - Parameters:
    ///   - leaving: whether a screen of ours is shown and to be left.
    ///   - text: what to write before the program's output.
    func release(leaving: Bool, saying text: String = "") async -> ProgramModes {
        await withCheckedContinuation { post(.release(leaving: leaving, saying: text, $0)) }
    }

    /// After an absence of this long output is kept back until told so again.
    func setTimeout(_ timeout: LockTimeout) { post(.timeout(timeout)) }

    /// Shows what was kept back after an absence that did not lock, unless held.
    func goOn() async {
        await withCheckedContinuation { post(.goOn($0)) }
    }

    /// Writes something of ours.
    func draw(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        post(.draw(bytes))
    }

    /// Returns when all of it has been written, or the terminal takes no more.
    func flush() async {
        await withCheckedContinuation { post(.flush($0)) }
    }

    /// Shows what the program wrote last, unless held, leaves the terminal as it was at first, and ends.
    ///
    /// - Parameter isCovered: whether a screen of ours is shown; then what lies under it is erased.
    func finish(isCovered: Bool) async {
        await withCheckedContinuation { post(.finish(isCovered: isCovered, $0)) }
    }

    /// Ends the thread before anything was written.
    func abandon() { post(.abandon) }

    private func post(_ command: Command) {
        if !mailbox.post(command) { command.refuse() }
    }
}
