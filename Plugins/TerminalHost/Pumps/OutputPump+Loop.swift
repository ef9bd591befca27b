internal import LinuxSystem
internal import PasscodeLock
internal import TerminalScreens

extension OutputPump {
    /// The state of the pump's thread, which no other thread uses.
    @safe
    struct Loop {
        let pump: OutputPump
        var master: Int32 = -1
        var isHolding = true
        /// Whether output is withheld after an absence, until the run has decided whether to lock.
        var isWithholding = false
        /// Whether absences are ignored, because the run is ending. It can no longer lock, and it may wait
        /// long for a terminal or a reader.
        var isEnding = false
        var timeout = LockTimeout.never
        var lastLook: Duration
        var isFinished = false
        /// Whether no output was dropped.
        var isWhole = true
        var tracker = ModeTracker()
        var kept: [UInt8] = []
        /// The time at which the broken-off sequence began; `nil` if there is none. The rest of that sequence
        /// must not appear on the terminal.
        var brokenSince: Duration?
        var messages = MessageFilter()
        /// The time at which the terminal got the start of a sequence whose end has not come yet; `nil`
        /// between two sequences.
        var insideSince: Duration?
        /// The bytes that wait for the terminal. The first `written` bytes are already written.
        var pending: [UInt8] = []
        var written = 0
        var renewal: FocusRenewal
        /// The start of an unfinished sequence or character, which is not shown yet.
        var tail: [UInt8] = [] { didSet { tailSince = ContinuousClock.now } }
        /// The time at which the last bytes of the tail came. It is read from the system's clock and not from
        /// ``OutputPump/sinceBoot``, because the timeout of `poll(2)` uses the system's clock too.
        var tailSince = ContinuousClock.now
        /// A buffer for the tail and one more read.
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
                // The loop tries to read first, and calls `wait` only when there was no output. So a read of
                // waiting output needs no call of `poll(2)` before it.
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
            case .renewFocusReports:
                renewal.reportsMayBeOff()
            case .timeout(let new):
                timeout = new
            case .draw(let bytes):
                put(bytes)
            case .flush(let done):
                flush()
                done.resume()
            case .finish(let isCovered, let done):
                goOn()
                // A long wait for the terminal or the reader looks like an absence, and output is withheld
                // after an absence. So absences are ignored from now on.
                isEnding = true
                if !isHolding {
                    // If the terminal paused for a second, the output that waited was dropped, perhaps in the
                    // middle of a sequence. The output after it is still shown, unless a signal has limited
                    // the time.
                    if !showRest(), !pump.isHurried {
                        cutOff()
                        _ = showRest()
                    }
                    showTail()
                }
                // Earlier output is written or dropped before the sequences below are put. Otherwise a drop of
                // the earlier output would take these sequences with it.
                flush()
                if !isHolding, !face.end(isCovered: isCovered, tracker.modes).isEmpty { cutOff() }
                write(face.end(isCovered: isCovered, tracker.modes))
                flush()
                isFinished = true
                done.resume(returning: isWhole)
            case .abandon:
                isFinished = true
            }
        }

        /// Checks whether the machine slept or the process was stopped, as ``InputPump`` does. If the absence
        /// reaches the timeout, or the lock is due, output is withheld until the run has decided whether to
        /// lock.
        mutating func lookAtClock() {
            let now = pump.sinceBoot()
            let gap = now - lastLook
            lastLook = now
            guard gap >= InputPump.absence, !isKeeping, !isEnding else { return }
            guard timeout.isReached(by: gap) || pump.due.isReached(at: now) else { return }
            isWithholding = true
            pump.withheld()
        }

        /// Shows the kept output, and then the waiting output of the program.
        ///
        /// - Returns: whether the terminal accepted all of it. If the terminal accepts nothing for a second,
        ///   the result is `false`, and the rest stays kept or unread.
        private mutating func showRest() -> Bool {
            repeat {
                guard flush() else { return false }
            } while showPieceOfKept()
            // The program's last output fits into the buffer of its terminal. Further output is from another
            // process, which may write forever, so the number of reads is limited.
            var rounds = 0
            while rounds < 16, readOnce() {
                rounds += 1
                guard flush() else { return false }
            }
            return true
        }

        private mutating func goOn() {
            guard isWithholding else { return }
            isWithholding = false
        }

        /// Whether output is kept and not shown.
        var isKeeping: Bool { isHolding || isWithholding }

        var face: GuardFace { pump.face }

        mutating func write(_ text: String) { put(Array(text.utf8)) }

        /// Breaks an unfinished sequence off on the terminal.
        ///
        /// If `ModeTracker.breakOff()` returns `true`, the tail is dropped, and the rest of the sequence is
        /// dropped when it comes. If the result is `false`, the tail becomes the beginning of the kept
        /// output, which is shown later.
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
