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

/// The one that reads the terminal: to the program what is for it, to our screens what is for them.
///
/// It is a thread, because reading a terminal blocks. What arrives on the border between program and screen
/// belongs to neither and is dropped, sequences that have begun included: a terminal's late reply is no digit,
/// and a digit of the passcode never reaches the program.
final class InputPump: Sendable {
    /// Whom input is for.
    enum Receiver: Sendable {
        case program
        /// A screen, as bytes.
        case screen
        /// A screen, as one line; after it input is not read until told again.
        case line
        /// Neither of them: input is not read.
        case none
    }

    enum Command: Sendable {
        case attach(master: Int32, pipe: Int32?)
        case end
        case send(to: Receiver, CheckedContinuation<Bool, Never>)
        case control(UInt8)
        case timeout(LockTimeout)
        case lookAtClock(CheckedContinuation<Int, Never>)
        case finish(CheckedContinuation<Void, Never>)

        /// There is no thread any more that obeys it.
        func refuse() {
            switch self {
            case .send(_, let done): done.resume(returning: false)
            case .finish(let done): done.resume()
            case .lookAtClock(let done): done.resume(returning: 0)
            case .attach(_, let pipe): if let pipe { close(pipe) }
            case .end, .control, .timeout: break
            }
        }
    }

    /// How long a key's or a report's sequence may be unfinished.
    static let patience = Duration.milliseconds(25)
    /// The same for a reply and a paste. Alt held with a key begins what looks like a reply and never ends.
    static let longPatience = Duration.milliseconds(500)
    /// How often the clock is looked at. Much more time than that between two looks is an absence.
    static let tick = Duration.seconds(1)
    static let absence = Duration.seconds(3)
    /// How much may wait for a program that does not read its terminal. It is read on all the same, because the lock key may
    /// be in it; what is more is lost.
    static let pendingLimit = 16 << 20
    /// How much may wait for a program that does not read its pipe; more is not read meanwhile.
    static let pipedLimit = 64 << 10
    /// How many bytes may wait for a screen: more than is typed, and less than would keep it busy for long.
    static let screenLimit = 4096

    let mailbox: Mailbox<Command>
    let input: Int32
    /// Whether the input was opened here.
    private let ownsInput: Bool
    let isTerminal: Bool
    let isPiped: Bool
    let lockKey: LockKey
    let wantsFocus: @Sendable () -> Bool
    let sinceBoot: @Sendable () -> Duration
    let deliver: @Sendable (GuardEvent) -> Void
    /// How many bytes were delivered to a screen that it has not taken yet.
    let undelivered = Atomic<Int>(0)
    private let isStarted = Atomic<Bool>(false)

    /// A pump that reads nothing at first; its thread begins with ``start()``.
    ///
    /// - Parameters:
    ///   - input: what to read.
    ///   - isTerminal: whether type-ahead is to be dropped; lines from a pipe are meant in their order.
    ///   - isPiped: whether the input is no terminal: but for the lock key all of it is the program's, byte by byte.
    ///   - lockKey: the key that locks.
    ///   - wantsFocus: whether the program asked to be told of the terminal's focus.
    ///   - sinceBoot: the boot clock, which counts the time asleep.
    ///   - deliver: gets events.
    /// - Throws: when the process has no descriptor left.
    init(
        input: Int32,
        isTerminal: Bool,
        isPiped: Bool = false,
        lockKey: LockKey,
        wantsFocus: @escaping @Sendable () -> Bool,
        sinceBoot: @escaping @Sendable () -> Duration,
        deliver: @escaping @Sendable (GuardEvent) -> Void
    ) throws(TerminalHostError) {
        do throws(SystemCallError) { mailbox = try Mailbox() } catch { throw TerminalHostError(error) }
        // Opened anew, where that is possible: a key that is a signal takes away what was typed before it, also after
        // `poll(2)` has told of that, and a read that waited then would hold up everything else.
        let own = Descriptors.reopenTerminal(input, forWriting: false)
        self.input = own ?? input
        ownsInput = own != nil
        self.isTerminal = isTerminal
        self.isPiped = isPiped
        self.lockKey = lockKey
        self.wantsFocus = wantsFocus
        self.sinceBoot = sinceBoot
        self.deliver = deliver
    }

    deinit {
        if ownsInput { close(input) }
    }

    /// Starts the thread, which ends with ``finish()``.
    ///
    /// - Throws: when the system has no thread left.
    func start() throws(TerminalHostError) {
        do throws(ThreadRefusal) {
            try Threads.startAtOnce { [self] in
                var loop = Loop(pump: self)
                loop.run()
                for command in mailbox.close() { command.refuse() }
                loop.finished?.resume()
            }
        } catch {
            throw TerminalHostError(error)
        }
        isStarted.store(true, ordering: .releasing)
    }

    /// Ends the thread: it reads nothing any more, drops what it has still to write, and closes the program's pipe.
    /// Returns when it has ended; at once where there was none.
    func finish() async {
        guard isStarted.load(ordering: .acquiring) else { return }
        await withCheckedContinuation { post(.finish($0)) }
    }

    private func post(_ command: Command) {
        if !mailbox.post(command) { command.refuse() }
    }

    /// From now on the program can be written to.
    ///
    /// - Parameters:
    ///   - master: our end of its terminal, which stays open until ``finish()``.
    ///   - pipe: our end of its standard input, where that is a pipe; the pump closes it.
    func attach(master: Int32, pipe: Int32? = nil) { post(.attach(master: master, pipe: pipe)) }

    /// The program's input ends after what was sent so far: its pipe, or a terminal's with the key for it.
    func end() { post(.end) }

    /// Sends what comes from now on to another; returns when what came before has been dropped.
    ///
    /// - Returns: whether the program was to get it, and gets nothing: the lock key came before. That was delivered.
    @discardableResult
    func send(to receiver: Receiver) async -> Bool {
        await withCheckedContinuation { post(.send(to: receiver, $0)) }
    }

    /// Sends the program a byte that its terminal's driver turns into a signal.
    func sendControl(_ byte: UInt8) { post(.control(byte)) }

    /// After an absence of this long the program gets no more input until told so again.
    func setTimeout(_ timeout: LockTimeout) { post(.timeout(timeout)) }

    /// Delivers the absence that has just ended, if there was one.
    ///
    /// - Returns: how many absences there have been.
    func lookAtClock() async -> Int {
        await withCheckedContinuation { post(.lookAtClock($0)) }
    }

    /// A screen has taken what was typed; until it does, only so much is kept for it.
    func wasTaken(_ bytes: SecretBytes) { undelivered.subtract(bytes.count, ordering: .relaxed) }
}
