internal import Glibc
internal import PortcullisCore
internal import Synchronization
internal import TerminalScreens

/// The one that writes to the terminal: the program's output while it may be seen, and our own screens.
///
/// It is a thread, because writing to a terminal can block. While it holds, what the program writes is kept up
/// to a limit; beyond it the program waits, as it would for a terminal that was stopped.
final class OutputPump: Sendable {
    private enum Command: Sendable {
        case attach(master: Int32)
        case hold(CheckedContinuation<ProgramModes, Never>)
        case release(leaving: Bool, CheckedContinuation<ProgramModes, Never>)
        case draw([UInt8])
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

    private let mailbox = ThreadMailbox<Command>()
    private let focus = Atomic<Bool>(false)
    private let terminal: Int32
    private let usesModes: Bool

    /// Whether the program asked to be told of the terminal's focus.
    var programWantsFocus: Bool { focus.load(ordering: .relaxed) }

    /// A pump that holds at first.
    ///
    /// - Parameters:
    ///   - terminal: where output goes.
    ///   - usesModes: whether that is a terminal on which screens are drawn.
    init(terminal: Int32, usesModes: Bool) {
        self.terminal = terminal
        self.usesModes = usesModes
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
    /// - Parameter leaving: whether a screen of ours is shown and to be left.
    func release(leaving: Bool) async -> ProgramModes {
        await withCheckedContinuation { mailbox.post(.release(leaving: leaving, $0)) }
    }

    /// Writes something of ours.
    func draw(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        mailbox.post(.draw(bytes))
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
        /// The start of an unfinished sequence or character, not yet shown.
        var tail: [UInt8] = []
        /// Room for what was kept back and one more read.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * OutputPump.chunk, alignment: 16)

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
                    // What was begun on the terminal is cancelled there, and its rest dropped later.
                    isBroken = usesModes && !tracker.isBetweenSequences && tail.isEmpty
                    if isBroken { Descriptors.write([0x18], to: pump.terminal) }
                }
                done.resume(returning: tracker.modes)
            case .release(let leaving, let done):
                if leaving, usesModes { write(ScreenModes.leave(to: tracker.modes)) }
                isHolding = false
                showKept()
                done.resume(returning: tracker.modes)
            case .draw(let bytes):
                Descriptors.write(bytes, to: pump.terminal)
            case .finish(let isCovered, let done):
                if !isHolding {
                    // More than its terminal holds is another's, who may go on for ever.
                    var rounds = 0
                    while rounds < 16, readOnce() { rounds += 1 }
                    showTail()
                }
                if usesModes {
                    write(isCovered ? ScreenModes.close : tracker.modes.undo(leavingAlternate: true))
                    write(ScreenModes.ended)
                }
                isFinished = true
                done.resume()
            }
        }

        private var usesModes: Bool { pump.usesModes }

        private func write(_ text: String) { Descriptors.write(Array(text.utf8), to: pump.terminal) }

        private var mayRead: Bool { master >= 0 && (!isHolding || kept.count < OutputPump.keptLimit) }

        private mutating func wait() {
            var waiting = [pollfd(fd: pump.mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
            if mayRead { waiting.append(pollfd(fd: master, events: Int16(POLLIN), revents: 0)) }
            let isWaitingForMore = !tail.isEmpty && !isHolding
            let timeout = isWaitingForMore ? OutputPump.patience : -1
            if unsafe poll(&waiting, nfds_t(waiting.count), timeout) == 0 { showTail() }
        }

        private mutating func showTail() {
            Descriptors.write(tail, to: pump.terminal)
            tail = []
        }

        private mutating func showKept() {
            if isBroken {
                while !kept.isEmpty, !tracker.isBetweenSequences {
                    let first = [kept.removeFirst()]
                    _ = unsafe first.withUnsafeBytes { unsafe tracker.scan($0) }
                }
                isBroken = !tracker.isBetweenSequences
            }
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
            let wasBetween = tracker.isBetweenSequences
            let fresh = unsafe UnsafeRawBufferPointer(rebasing: bytes[alreadyScanned...])
            var complete = unsafe alreadyScanned + tracker.scan(fresh)
            if tracker.isBetweenSequences {
                complete -= unsafe Self.unfinishedCharacter(bytes)
            } else if !wasBetween, complete == alreadyScanned {
                // It began in what was kept back before.
                complete = 0
            }
            // A long string is not worth keeping back: a picture can have megabytes.
            if bytes.count - complete > OutputPump.chunk { complete = bytes.count }
            unsafe Descriptors.write(UnsafeRawBufferPointer(rebasing: bytes[0..<complete]), to: pump.terminal)
            tail = unsafe Array(bytes[complete...])
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
