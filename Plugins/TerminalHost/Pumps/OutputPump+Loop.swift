internal import LinuxSystem
internal import PasscodeLock
internal import TerminalScreens

extension OutputPump {
    /// What the thread alone touches.
    @safe
    struct Loop {
        let pump: OutputPump
        var master: Int32 = -1
        var isHolding = true
        /// Whether output is kept back after an absence until it is clear whether it locks.
        var isWithholding = false
        var timeout = LockTimeout.never
        var lastLook: Duration
        var isFinished = false
        var tracker = ModeTracker()
        var kept: [UInt8] = []
        /// When the sequence began that was cut off on the terminal, and the rest of which must not appear; `nil` where
        /// there is none.
        var brokenSince: Duration?
        var messages = MessageFilter()
        /// Since when the terminal has had the beginning of a sequence without its end; `nil` between two.
        var insideSince: Duration?
        /// What the terminal has not taken yet, and how much of it it has.
        var pending: [UInt8] = []
        var written = 0
        var renewal: FocusRenewal
        /// The start of an unfinished sequence or character, not yet shown.
        var tail: [UInt8] = [] { didSet { tailSince = ContinuousClock.now } }
        /// When the last of it came, in real time: what comes is waited for by `poll(2)`, which knows no other.
        var tailSince = ContinuousClock.now
        /// Room for what was kept back and one more read.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * OutputPump.chunk, alignment: 16)

        init(pump: OutputPump) {
            self.pump = pump
            lastLook = pump.sinceBoot()
            renewal = FocusRenewal(at: lastLook)
        }

        mutating func run() {
            while !isFinished {
                lookAtClock()
                for command in pump.mailbox.take() { obey(command) }
                // Reading until nothing is left and then waiting saves a `poll` for each read.
                if !isFinished, !showPieceOfKept(), !readOnce() { wait() }
            }
            unsafe buffer.deallocate()
        }

        private mutating func obey(_ command: Command) {
            switch command {
            case .attach(let descriptor):
                master = descriptor
            case .hold(let done):
                isWithholding = false
                if !isHolding {
                    isHolding = true
                    cutOff()
                }
                done.resume(returning: tracker.modes)
            case .release(let leaving, let text, let done):
                if leaving { write(face.leave(to: tracker.modes)) }
                write(text)
                isHolding = false
                isWithholding = false
                done.resume(returning: tracker.modes)
            case .goOn(let done):
                goOn()
                done.resume()
            case .timeout(let new):
                timeout = new
            case .draw(let bytes):
                put(bytes)
            case .flush(let done):
                flush()
                done.resume()
            case .finish(let isCovered, let done):
                goOn()
                if !isHolding {
                    // More than its terminal holds is another's, who may go on for ever.
                    var rounds = 0
                    while flush(), showPieceOfKept() {}
                    while rounds < 16, flush(), readOnce() { rounds += 1 }
                    showTail()
                }
                if !isHolding, face == .drawn {
                    cutOff()
                    put(kept)
                }
                write(face.end(isCovered: isCovered, tracker.modes))
                flush()
                isFinished = true
                done.resume()
            case .abandon:
                isFinished = true
            }
        }

        /// Notices when the machine slept or the process was stopped, as the thread that reads the terminal does: what
        /// the program wrote since is not shown before it is clear whether that locks.
        mutating func lookAtClock() {
            let now = pump.sinceBoot()
            let gap = now - lastLook
            lastLook = now
            guard gap >= InputPump.absence, !isKeeping, timeout.isReached(by: gap) else { return }
            isWithholding = true
            pump.withheld()
        }

        private mutating func goOn() {
            guard isWithholding else { return }
            isWithholding = false
        }

        /// Whether output is kept instead of shown.
        var isKeeping: Bool { isHolding || isWithholding }

        var face: GuardFace { pump.face }

        mutating func write(_ text: String) { put(Array(text.utf8)) }

        /// What was begun on the terminal is broken off there; its rest is dropped when it comes.
        ///
        /// What is no rest of it after all is kept, and to be shown.
        mutating func cutOff() {
            write(face.breakOff(around: pump.around))
            guard let began = insideSince, face != .stream else { return }
            insideSince = nil
            brokenSince = tracker.breakOff() ? began : nil
            if brokenSince == nil { kept = tail + kept }
            tail = []
        }
    }
}
