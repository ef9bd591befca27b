internal import LinuxSystem
internal import PasscodeLock
internal import PortcullisCore
internal import Synchronization

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
        case send(to: Receiver, CheckedContinuation<Void, Never>)
        case control(UInt8)
        case timeout(LockTimeout)
        case lookAtClock(CheckedContinuation<Int, Never>)
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
    let isTerminal: Bool
    let isPiped: Bool
    let lockKey: LockKey
    let wantsFocus: @Sendable () -> Bool
    let sinceBoot: @Sendable () -> Duration
    let deliver: @Sendable (GuardEvent) -> Void
    /// How many bytes were delivered to a screen that it has not taken yet.
    let undelivered = Atomic<Int>(0)

    /// A pump that reads nothing at first.
    ///
    /// - Parameters:
    ///   - input: what to read.
    ///   - isTerminal: whether type-ahead is to be dropped; lines from a pipe are meant in their order.
    ///   - isPiped: whether the input is no terminal: but for the lock key all of it is the program's, byte by byte.
    ///   - lockKey: the key that locks.
    ///   - wantsFocus: whether the program asked to be told of the terminal's focus.
    ///   - sinceBoot: the boot clock, which counts the time asleep.
    ///   - deliver: gets events.
    /// - Throws: when the process has no descriptor or the system no thread left.
    init(
        input: Int32,
        isTerminal: Bool,
        isPiped: Bool = false,
        lockKey: LockKey,
        wantsFocus: @escaping @Sendable () -> Bool,
        sinceBoot: @escaping @Sendable () -> Duration,
        deliver: @escaping @Sendable (GuardEvent) -> Void
    ) throws(GuardFailure) {
        do throws(SystemCallError) { mailbox = try Mailbox() } catch { throw GuardFailure(error) }
        // Opened anew, where that is possible: a key that is a signal takes away what was typed before it, also after
        // `poll(2)` has told of that, and a read that waited then would hold up everything else.
        self.input = Descriptors.reopenTerminal(input, forWriting: false) ?? input
        self.isTerminal = isTerminal
        self.isPiped = isPiped
        self.lockKey = lockKey
        self.wantsFocus = wantsFocus
        self.sinceBoot = sinceBoot
        self.deliver = deliver
        do throws(ThreadRefusal) {
            try Threads.startAtOnce { [self] in
                var loop = Loop(pump: self)
                loop.run()
            }
        } catch {
            throw GuardFailure(error)
        }
    }

    /// From now on the program can be written to.
    ///
    /// - Parameters:
    ///   - master: our end of its terminal.
    ///   - pipe: our end of its standard input, where that is a pipe.
    func attach(master: Int32, pipe: Int32? = nil) { mailbox.post(.attach(master: master, pipe: pipe)) }

    /// The program's input ends after what was sent so far: its pipe, or a terminal's with the key for it.
    func end() { mailbox.post(.end) }

    /// Sends what comes from now on to another; returns when what came before has been dropped.
    func send(to receiver: Receiver) async {
        await withCheckedContinuation { mailbox.post(.send(to: receiver, $0)) }
    }

    /// Sends the program a byte that its terminal's driver turns into a signal.
    func sendControl(_ byte: UInt8) { mailbox.post(.control(byte)) }

    /// After an absence of this long the program gets no more input until told so again.
    func setTimeout(_ timeout: LockTimeout) { mailbox.post(.timeout(timeout)) }

    /// Delivers the absence that has just ended, if there was one.
    ///
    /// - Returns: how many absences there have been.
    func lookAtClock() async -> Int {
        await withCheckedContinuation { mailbox.post(.lookAtClock($0)) }
    }

    /// A screen has taken what was typed; until it does, only so much is kept for it.
    func wasTaken(_ bytes: SecretBytes) { undelivered.subtract(bytes.count, ordering: .relaxed) }
}
