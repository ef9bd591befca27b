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
    private enum Command: Sendable {
        case attach(master: Int32)
        case hold(CheckedContinuation<ProgramModes, Never>)
        case release(leaving: Bool, saying: String, CheckedContinuation<ProgramModes, Never>)
        case draw([UInt8])
        case flush(CheckedContinuation<Void, Never>)
        case finish(isCovered: Bool, CheckedContinuation<Void, Never>)
    }

    /// How much output is kept while held.
    static let keptLimit = 1 << 20
    /// What a pseudo-terminal gives in one read.
    ///
    /// Collecting more before writing makes program and terminal take turns instead of working at once: 64 KiB
    /// costs a quarter more time on two cores.
    private static let chunk = 4096
    /// How long the start of a sequence is kept back in the hope of its end.
    private static let patience: Int32 = 20
    /// How long the terminal may take nothing at the end, in milliseconds, before the rest is given up.
    private static let lastPatience: Int32 = 1000

    private let mailbox: ThreadMailbox<Command>
    private let focus = Atomic<Bool>(false)
    /// Where output goes, and whether writing there says so instead of blocking.
    private let terminal: Int32
    private let isNonBlocking: Bool
    private let face: GuardFace
    private let sinceBoot: @Sendable () -> Duration

    /// Whether the program asked to be told of the terminal's focus.
    var programWantsFocus: Bool { focus.load(ordering: .relaxed) }

    /// A pump that holds at first.
    ///
    /// - Parameters:
    ///   - terminal: where output goes.
    ///   - face: how screens are shown there.
    ///   - sinceBoot: the boot clock.
    /// - Throws: when the process has no descriptor left.
    init(
        terminal: Int32,
        face: GuardFace,
        sinceBoot: @escaping @Sendable () -> Duration
    ) throws(GuardFailure) {
        mailbox = try ThreadMailbox()
        // Opened anew, because not to block is a property of the open file, which others share with us.
        let own = Descriptors.reopenTerminal(terminal)
        self.terminal = own ?? terminal
        self.isNonBlocking = own != nil
        self.face = face
        self.sinceBoot = sinceBoot
        Threads.start { [self] in
            var loop = Loop(pump: self)
            loop.run()
        }
    }

    /// Begins to read a program's output.
    func attach(master: Int32) { mailbox.post(.attach(master: master)) }

    /// Stops showing the program's output.
    ///
    /// - Returns: once none can appear any more: the modes the program left.
    func hold() async -> ProgramModes {
        await withCheckedContinuation { mailbox.post(.hold($0)) }
    }

    /// Shows the program's output again, first what was kept.
    ///
    /// - Parameters:
    ///   - leaving: whether a screen of ours is shown and to be left.
    ///   - text: what to write before the program's output.
    func release(leaving: Bool, saying text: String = "") async -> ProgramModes {
        await withCheckedContinuation { mailbox.post(.release(leaving: leaving, saying: text, $0)) }
    }

    /// Writes something of ours.
    func draw(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        mailbox.post(.draw(bytes))
    }

    /// Returns when all of it has been written, or the terminal takes no more.
    func flush() async {
        await withCheckedContinuation { mailbox.post(.flush($0)) }
    }

    /// Shows what the program wrote last, unless held, leaves the terminal as it was at first, and ends.
    ///
    /// - Parameter isCovered: whether a screen of ours is shown; then what lies under it is erased.
    func finish(isCovered: Bool) async {
        await withCheckedContinuation { mailbox.post(.finish(isCovered: isCovered, $0)) }
    }

    /// What the thread alone touches.
    @safe
    private struct Loop {
        let pump: OutputPump
        var master: Int32 = -1
        var isHolding = true
        var isFinished = false
        var tracker = ModeTracker()
        var kept: [UInt8] = []
        /// Whether a sequence was cut off on the terminal, the rest of which must not appear.
        var isBroken = false
        /// Whether the terminal has got the beginning of a sequence without its end.
        var isInside = false
        /// What the terminal has not taken yet, and how much of it it has.
        var pending: [UInt8] = []
        var written = 0
        var renewal: FocusRenewal
        /// The start of an unfinished sequence or character, not yet shown.
        var tail: [UInt8] = []
        /// Room for what was kept back and one more read.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * OutputPump.chunk, alignment: 16)

        init(pump: OutputPump) {
            self.pump = pump
            renewal = FocusRenewal(at: pump.sinceBoot())
        }

        mutating func run() {
            while !isFinished {
                for command in pump.mailbox.take() { obey(command) }
                // Reading until nothing is left and then waiting saves a `poll` for each read.
                if !isFinished, !readOnce() { wait() }
            }
            unsafe buffer.deallocate()
        }

        private mutating func obey(_ command: Command) {
            switch command {
            case .attach(let descriptor):
                master = descriptor
            case .hold(let done):
                if !isHolding {
                    isHolding = true
                    cutOff()
                }
                done.resume(returning: tracker.modes)
            case .release(let leaving, let text, let done):
                if leaving { write(face.leave(to: tracker.modes)) }
                write(text)
                isHolding = false
                showKept()
                done.resume(returning: tracker.modes)
            case .draw(let bytes):
                put(bytes)
            case .flush(let done):
                flush()
                done.resume()
            case .finish(let isCovered, let done):
                if !isHolding {
                    // More than its terminal holds is another's, who may go on for ever.
                    var rounds = 0
                    while rounds < 16, flush(), readOnce() { rounds += 1 }
                    showTail()
                }
                if !isHolding, face == .drawn { cutOff() }
                write(face.end(isCovered: isCovered, tracker.modes))
                flush()
                isFinished = true
                done.resume()
            }
        }

        private var face: GuardFace { pump.face }

        private mutating func write(_ text: String) { put(Array(text.utf8)) }

        /// What was begun on the terminal is broken off there; its rest is dropped when it comes.
        private mutating func cutOff() {
            write(face.breakOff)
            guard isInside, face != .stream else { return }
            isInside = false
            isBroken = true
            tail = []
        }

        // MARK: Writing

        private mutating func put(_ bytes: [UInt8]) {
            unsafe bytes.withUnsafeBytes { unsafe put($0) }
        }

        private mutating func put(_ bytes: UnsafeRawBufferPointer) {
            var offset = 0
            if pending.isEmpty { offset = unsafe offer(bytes) }
            if offset < bytes.count { unsafe pending.append(contentsOf: bytes[offset...]) }
        }

        /// Writes what is pending, as far as the terminal takes it now.
        private mutating func drain() {
            let rest = written
            written += unsafe pending.withUnsafeBytes { bytes in
                unsafe offer(UnsafeRawBufferPointer(rebasing: bytes[rest...]))
            }
            guard written == pending.count else { return }
            pending = []
            written = 0
        }

        /// - Returns: how much is done with, which is all of it when nobody is there to take it.
        private func offer(_ bytes: UnsafeRawBufferPointer) -> Int {
            var offset = 0
            while offset < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
                // What can be written to a pipe without blocking once there is room.
                let limit = pump.isNonBlocking ? rest.count : min(rest.count, Int(PIPE_BUF))
                if !pump.isNonBlocking, !hasRoom(within: 0) { return offset }
                let count = unsafe Descriptors.writeOnce(
                    UnsafeRawBufferPointer(rebasing: rest[0..<limit]),
                    to: pump.terminal
                )
                guard let count else { return bytes.count }
                if count == 0 { return offset }
                offset += count
            }
            return offset
        }

        private func hasRoom(within milliseconds: Int32) -> Bool {
            var waiting = pollfd(fd: pump.terminal, events: Int16(POLLOUT), revents: 0)
            var count: Int32 = -1
            repeat { count = unsafe poll(&waiting, 1, milliseconds) } while count < 0 && errno == EINTR
            return count > 0
        }

        /// Writes all that is pending; what a terminal does not take for a second is given up.
        ///
        /// - Returns: whether it took everything.
        @discardableResult
        private mutating func flush() -> Bool {
            while !pending.isEmpty {
                guard hasRoom(within: OutputPump.lastPatience) else {
                    pending = []
                    written = 0
                    // Else whoever closes it waits for it.
                    _ = tcflush(pump.terminal, TCOFLUSH)
                    return false
                }
                drain()
            }
            return true
        }

        // MARK: Reading

        private var mayRead: Bool {
            master >= 0 && (isHolding ? kept.count < OutputPump.keptLimit : pending.isEmpty)
        }

        private mutating func wait() {
            var waiting = [
                pollfd(fd: pump.mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: pending.isEmpty ? -1 : pump.terminal, events: Int16(POLLOUT), revents: 0),
            ]
            if mayRead { waiting.append(pollfd(fd: master, events: Int16(POLLIN), revents: 0)) }
            let ready = unsafe poll(&waiting, nfds_t(waiting.count), patience)
            if ready == 0, isWaitingForMore { showTail() }
            renewFocusReports()
            if !pending.isEmpty { drain() }
        }

        private var isWaitingForMore: Bool { !tail.isEmpty && !isHolding }

        /// How long to wait for output and commands, in milliseconds; -1 for ever.
        private var patience: Int32 {
            if isWaitingForMore { return OutputPump.patience }
            guard mayRenew, let wait = renewal.wait(at: pump.sinceBoot(), isInside: isInside) else {
                return -1
            }
            return Int32(wait / .milliseconds(1)) + 1
        }

        /// What is kept back of a sequence that has begun has not reached the terminal, so it is in nothing's way.
        private var mayRenew: Bool { face == .drawn && !isHolding }

        private mutating func renewFocusReports() {
            guard mayRenew, renewal.isDue(at: pump.sinceBoot(), isInside: isInside) else { return }
            if isInside { cutOff() }
            write(ScreenModes.focusReportsAgain)
        }

        private mutating func showTail() {
            guard !tail.isEmpty else { return }
            put(tail)
            tail = []
            isInside = !tracker.isBetweenSequences
        }

        private mutating func showKept() {
            let all = tail + kept
            let scanned = tail.count
            kept = []
            unsafe all.withUnsafeBytes { unsafe show($0, alreadyScanned: scanned) }
        }

        /// - Returns: whether there was anything.
        private mutating func readOnce() -> Bool {
            guard mayRead else { return false }
            let before = isHolding ? 0 : tail.count
            for index in 0..<before { unsafe self.buffer[index] = tail[index] }
            let room = isHolding ? OutputPump.keptLimit - kept.count : OutputPump.chunk
            let end = before + min(OutputPump.chunk, room)
            var filled = before
            while filled < end {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end])
                guard case .bytes(let count) = unsafe Descriptors.read(master, into: part) else { break }
                filled += count
            }
            guard filled > before else { return false }
            if isHolding {
                unsafe kept.append(contentsOf: buffer[0..<filled])
            } else {
                unsafe show(UnsafeRawBufferPointer(rebasing: buffer[0..<filled]), alreadyScanned: before)
            }
            return true
        }

        /// Writes output up to the last place where a screen of ours could come in; keeps the rest back.
        private mutating func show(_ bytes: UnsafeRawBufferPointer, alreadyScanned: Int) {
            var bytes = unsafe bytes
            if isBroken {
                let end = unsafe tracker.skipSequence(bytes)
                isBroken = !tracker.isBetweenSequences
                unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes[end...])
            }
            let wasBetween = tracker.isBetweenSequences
            let fresh = unsafe UnsafeRawBufferPointer(rebasing: bytes[alreadyScanned...])
            var complete = unsafe alreadyScanned + tracker.scan(fresh)
            if tracker.isBetweenSequences {
                complete -= unsafe Self.unfinishedCharacter(bytes)
            } else if !wasBetween, complete == alreadyScanned {
                // It began in what was kept back before.
                complete = 0
            }
            if complete > 0 { isInside = false }
            // A long string is not worth keeping back: a picture can have megabytes.
            if bytes.count - complete > OutputPump.chunk {
                complete = bytes.count
                isInside = !tracker.isBetweenSequences
            }
            unsafe put(UnsafeRawBufferPointer(rebasing: bytes[0..<complete]))
            if tracker.didEndFocusReports, face == .drawn, !isInside {
                // Ours go on, whatever the program wants to hear of them.
                tracker.didEndFocusReports = false
                write(ScreenModes.focusReports)
            }
            renewal.outputWasShown(at: pump.sinceBoot())
            tail = unsafe Array(bytes[complete...])
            renewFocusReports()
            pump.focus.store(tracker.modes.wantsFocus, ordering: .relaxed)
        }

        /// How many bytes at the end begin a UTF-8 character that is not complete.
        private static func unfinishedCharacter(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard bytes.count > 0 else { return 0 }
            for back in 1...min(3, bytes.count) {
                let byte = unsafe bytes[bytes.count - back]
                if byte & 0xC0 == 0x80 { continue }
                let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
                return length > back ? back : 0
            }
            return 0
        }
    }
}
