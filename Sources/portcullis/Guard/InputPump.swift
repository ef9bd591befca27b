internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

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
        /// A screen, as one line; then nobody until told again.
        case line
        case nobody
    }

    private enum Command: Sendable {
        case attach(master: Int32)
        case send(to: Receiver, CheckedContinuation<Void, Never>)
        case control(UInt8)
        case timeout(LockTimeout)
        case lookAtClock(CheckedContinuation<Int, Never>)
    }

    /// How long a key's or a report's sequence may be unfinished, in milliseconds.
    private static let patience: Int32 = 25
    /// The same for a reply and a paste. Alt held with a key begins what looks like a reply and never ends.
    private static let longPatience: Int32 = 500
    /// How often the clock is looked at. Much more time than that between two looks is an absence.
    private static let tick: Int32 = 1000
    private static let absence = Duration.seconds(3)
    private static let pendingLimit = 1 << 20

    private let mailbox: ThreadMailbox<Command>
    private let input: Int32
    private let isTerminal: Bool
    private let lockKey: LockKey
    private let wantsFocus: @Sendable () -> Bool
    private let sinceBoot: @Sendable () -> Duration
    private let deliver: @Sendable (GuardEvent) -> Void

    /// A pump that reads nothing at first.
    ///
    /// - Parameters:
    ///   - input: what to read.
    ///   - isTerminal: whether type-ahead is to be dropped; lines from a pipe are meant in their order.
    ///   - lockKey: the key that locks.
    ///   - wantsFocus: whether the program asked to be told of the terminal's focus.
    ///   - sinceBoot: the boot clock, which counts the time asleep.
    ///   - deliver: gets events.
    /// - Throws: when the process has no descriptor left.
    init(
        input: Int32,
        isTerminal: Bool,
        lockKey: LockKey,
        wantsFocus: @escaping @Sendable () -> Bool,
        sinceBoot: @escaping @Sendable () -> Duration,
        deliver: @escaping @Sendable (GuardEvent) -> Void
    ) throws(GuardFailure) {
        mailbox = try ThreadMailbox()
        self.input = input
        self.isTerminal = isTerminal
        self.lockKey = lockKey
        self.wantsFocus = wantsFocus
        self.sinceBoot = sinceBoot
        self.deliver = deliver
        Threads.start { [self] in
            var loop = Loop(pump: self)
            loop.run()
        }
    }

    /// From now on the program can be written to.
    func attach(master: Int32) { mailbox.post(.attach(master: master)) }

    /// Sends what comes from now on to another; returns when what came before has been dropped.
    func send(to receiver: Receiver) async {
        await withCheckedContinuation { mailbox.post(.send(to: receiver, $0)) }
    }

    /// Sends the program a byte that its terminal's driver turns into something: an end of file, an interrupt.
    func sendControl(_ byte: UInt8) { mailbox.post(.control(byte)) }

    /// After an absence of this long the program gets no more input until told so again.
    func setTimeout(_ timeout: LockTimeout) { mailbox.post(.timeout(timeout)) }

    /// Delivers the absence that has just ended, if there was one.
    ///
    /// - Returns: how many absences there have been.
    func lookAtClock() async -> Int {
        await withCheckedContinuation { mailbox.post(.lookAtClock($0)) }
    }

    /// What the thread alone touches.
    private struct Loop {
        let pump: InputPump
        var master: Int32 = -1
        var receiver = Receiver.nobody
        var decoder: InputDecoder
        /// Whether what the decoder is in the middle of belongs to neither side.
        var isForeign = false
        /// The start of a sequence that may have to be withheld from the program.
        var held: [UInt8] = []
        var line = SecretBytes(copying: [])
        var toProgram: [UInt8] = []
        var hasEnded = false
        var lastActivity = timespec()
        var timeout = LockTimeout.never
        var lastLook: Duration
        var absences = 0

        init(pump: InputPump) {
            self.pump = pump
            decoder = InputDecoder(breaking: pump.lockKey.byte)
            lastLook = pump.sinceBoot()
        }

        mutating func run() {
            while true {
                for command in pump.mailbox.take() { obey(command) }
                wait()
            }
        }

        private mutating func obey(_ command: Command) {
            switch command {
            case .attach(let descriptor):
                master = descriptor
            case .send(let new, let done):
                if pump.isTerminal { dropWaiting() }
                receiver = new
                done.resume()
            case .control(let byte):
                toProgram.append(byte)
            case .timeout(let new):
                timeout = new
            case .lookAtClock(let done):
                lookAtClock()
                done.resume(returning: absences)
            }
        }

        /// Notices when the machine slept or the process was stopped. What was typed before it could be locked
        /// is for nobody.
        private mutating func lookAtClock() {
            let now = pump.sinceBoot()
            let gap = now - lastLook
            lastLook = now
            guard gap >= InputPump.absence else { return }
            absences += 1
            if receiver == .program, timeout.isReached(by: gap) {
                receiver = .nobody
                held = []
            }
            pump.deliver(.wasAway(gap))
        }

        /// How long to wait for the rest of what has begun; `nil` when nothing has.
        private var patience: Int32? {
            // What is not read is not late.
            guard receiver != .nobody else { return nil }
            return switch decoder.pending {
            case .nothing: held.isEmpty ? nil : InputPump.patience
            case .escape, .sequence, .character: InputPump.patience
            case .reply, .paste: InputPump.longPatience
            }
        }

        private mutating func wait() {
            let isReading = !hasEnded && receiver != .nobody
            var waiting = [
                pollfd(fd: pump.mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isReading ? pump.input : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: toProgram.isEmpty ? -1 : master, events: Int16(POLLOUT), revents: 0),
            ]
            let patience = patience
            let ready = unsafe poll(&waiting, nfds_t(waiting.count), patience ?? InputPump.tick)
            lookAtClock()
            if ready == 0 { return patience == nil ? () : flush() }
            guard ready > 0 else { return }
            if waiting[1].revents != 0 { readInput() }
            if waiting[2].revents != 0 { writeToProgram() }
        }

        private mutating func readInput() {
            // Into protected memory at once: it may be a passcode.
            var didEnd = false
            let capacity = receiver == .line ? 1 : 4096
            let bytes = SecretBytes(capacity: capacity) { output in
                didEnd = Self.read(pump.input, into: &output)
            }
            if didEnd {
                if receiver == .line, line.count > 0 {
                    // The last line needs no end. The input's own is found again by who asks for another line.
                    return finishLine()
                }
                hasEnded = true
                return pump.deliver(.inputEnded)
            }
            lookAtClock()
            switch receiver {
            case .program: bytes.withBytes { forward($0) }
            case .screen: deliverToScreen(bytes)
            case .line: addToLine(bytes)
            case .nobody: break
            }
        }

        /// - Returns: whether the input ended.
        private static func read(_ input: Int32, into output: inout OutputSpan<UInt8>) -> Bool {
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                switch unsafe Descriptors.read(input, into: UnsafeMutableRawBufferPointer(buffer)) {
                case .bytes(let read): count = read
                case .nothing: break
                case .end: return true
                }
                return false
            }
        }

        // MARK: For the program

        private mutating func forward(_ bytes: Span<UInt8>) {
            var start = 0
            var isLocked = false
            var isActivity = false
            var passed: [UInt8] = []
            // The closure must not touch `self` while the decoder is at work.
            var heldNow = held
            var isForeignNow = isForeign
            held = []
            decoder.decode(bytes) { event, used in
                guard !isLocked else { return }
                var isForProgram = !isForeignNow
                isForeignNow = false
                switch event {
                case .control(pump.lockKey.character):
                    isLocked = true
                    isForProgram = false
                case .focus(let isFocused):
                    pump.deliver(.focus(isFocused))
                    isForProgram = isForProgram && pump.wantsFocus()
                case .character, .key, .control, .press: isActivity = true
                case .pasted, .ignored: break
                }
                if isForProgram {
                    passed += heldNow
                    for index in start..<used { passed.append(bytes[index]) }
                }
                heldNow = []
                start = used
            }
            isForeign = isForeignNow
            if isLocked {
                receiver = .nobody
                isForeign = decoder.pending != .nothing
                pump.deliver(.lockKey)
            } else if !isForeign {
                var rest = heldNow
                for index in start..<bytes.count { rest.append(bytes[index]) }
                switch decoder.pending {
                case .escape, .sequence: held = rest
                case .nothing, .reply, .paste, .character: passed += rest
                }
            }
            if isActivity { noteActivity() }
            enqueue(&passed)
        }

        private mutating func enqueue(_ bytes: inout [UInt8]) {
            // As a terminal's driver does when nobody reads: what is too much is lost.
            if toProgram.count + bytes.count <= InputPump.pendingLimit { toProgram += bytes }
            erase(&bytes)
            writeToProgram()
        }

        private mutating func writeToProgram() {
            guard master >= 0, !toProgram.isEmpty else { return }
            let written = unsafe toProgram.withUnsafeBytes { unsafe write(master, $0.baseAddress, $0.count) }
            guard written > 0 else {
                if errno != EAGAIN && errno != EINTR { erase(&toProgram) }
                return
            }
            var rest = Array(toProgram[written...])
            erase(&toProgram)
            swap(&rest, &toProgram)
        }

        private func erase(_ bytes: inout [UInt8]) {
            unsafe bytes.withUnsafeMutableBytes { buffer in
                if let base = buffer.baseAddress { unsafe explicit_bzero(base, buffer.count) }
            }
            bytes = []
        }

        /// Nothing followed: what was withheld was a key.
        private mutating func flush() {
            switch decoder.pending {
            case .reply, .paste: decoder.abandon()
            case .nothing, .escape, .sequence, .character: _ = decoder.flush()
            }
            var late = held
            held = []
            if !isForeign { enqueue(&late) }
            isForeign = false
        }

        /// At most one notice a second: it is for timers of minutes.
        private mutating func noteActivity() {
            var now = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &now)
            guard now.tv_sec != lastActivity.tv_sec else { return }
            lastActivity = now
            pump.deliver(.activity)
        }

        // MARK: For a screen

        private mutating func deliverToScreen(_ bytes: SecretBytes) {
            var start = 0
            var isForeignNow = isForeign
            bytes.withBytes { span in
                decoder.decode(span) { _, used in
                    if isForeignNow { start = used }
                    isForeignNow = false
                }
            }
            isForeign = isForeignNow
            guard !isForeign else { return }
            pump.deliver(
                .typed(start == 0 ? bytes : bytes.withBytes { SecretBytes(copying: $0.extracting(start...)) })
            )
        }

        private mutating func addToLine(_ bytes: SecretBytes) {
            guard bytes.count == 1 else { return }
            let byte = bytes.withBytes { $0[0] }
            switch byte {
            case 0x0A, 0x0D:
                // Only one of the two that end a line on some systems.
                finishLine()
            case 0x08, 0x7F:
                line = line.withBytes { SecretBytes(copying: $0.extracting(0..<max(0, $0.count - 1))) }
            default:
                guard line.count < 1024, byte >= 0x20 else { return }
                line = line.withBytes { old in
                    SecretBytes(capacity: old.count + 1) { output in
                        for index in 0..<old.count { output.append(old[index]) }
                        output.append(byte)
                    }
                }
            }
        }

        private mutating func finishLine() {
            let finished = line
            line = SecretBytes(copying: [])
            receiver = .nobody
            pump.deliver(.line(finished))
        }

        // MARK: Borders

        /// Reads and drops what was typed, or answered by the terminal, for whom it was not meant.
        private mutating func dropWaiting() {
            held = []
            line = SecretBytes(copying: [])
            var waiting = pollfd(fd: pump.input, events: Int16(POLLIN), revents: 0)
            while !hasEnded, unsafe poll(&waiting, 1, 0) == 1 {
                var didEnd = false
                let bytes = SecretBytes(capacity: 4096) { output in
                    didEnd = Self.read(pump.input, into: &output)
                }
                if didEnd {
                    hasEnded = true
                    return pump.deliver(.inputEnded)
                }
                bytes.withBytes { span in decoder.decode(span) { _, _ in } }
            }
            isForeign = decoder.pending != .nothing
        }
    }
}
