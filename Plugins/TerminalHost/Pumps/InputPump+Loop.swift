internal import AdapterKit
internal import LinuxSystem
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

extension InputPump {
    /// The state of the pump's thread, which no other thread uses.
    struct Loop {
        let pump: InputPump
        /// The non-blocking descriptor for reads of a pipe; `nil` for any other input, and for a pipe that
        /// cannot be opened again.
        let pipe: Int32?
        /// Reads piped input if ``pipe`` is `nil`; `nil` for any other input. A read may block the reader.
        let reader: WorkerThread?
        var master: Int32 = -1
        /// The descriptor for the program's input: its terminal or a pipe; -1 while the program can get no
        /// input.
        var target: Int32 = -1
        /// Whether to close the pipe as soon as the waiting input is written.
        var isEnding = false
        var receiver = Receiver.none
        var decoder: InputDecoder
        /// Whether the decoder's unfinished sequence or paste began before the receiver changed. The new
        /// receiver must not get the rest of it, so the rest is dropped.
        var isForeign = false
        /// The start of a sequence. These bytes are held back until the pump knows whether the program may
        /// get the sequence.
        var held: [UInt8] = []
        /// The typed part of a line.
        var line = SecretLine(keepsControls: false)
        /// The bytes of a pipe or file that were read and that no receiver has got yet. The next receivers
        /// get these bytes first. They come after the lock key, were read when an absence ended, or are a
        /// result of the reader.
        var kept: (bytes: SecretBytes, used: Int)?
        /// Whether the lines of a pipe are answers: before the program gets input, and after a lock key in
        /// the pipe until the program gets input again. All other bytes are the program's.
        var takesAnswers = true
        /// The bytes of a pipe that a screen must not take for an answer. The program gets them when it gets
        /// input again.
        var waiting: [UInt8] = []
        var toProgram: [UInt8] = []
        /// The number of bytes of `toProgram` that were written.
        var written = 0
        var hasEnded = false
        /// Whether the last read failed because this process is in the background of its terminal. The next
        /// read comes after a tick.
        var isBehind = false
        /// Whether the reader is reading. Its result comes as a command.
        var isFetching = false
        /// The result of the reader's last read, if that read has found no bytes.
        var fetched: Descriptors.Reading?
        /// Whether no process reads the program's pipe any more. The input is then read for screens only.
        var isProgramDeaf = false
        /// The call of `finish()` that waits for the thread's end.
        var finished: CheckedContinuation<Void, Never>?
        var lastActivity = timespec()
        var timeout = LockTimeout.never
        var lastLook: Duration
        var absences = 0

        init(pump: InputPump, pipe: Int32?, reader: WorkerThread?) {
            self.pump = pump
            self.pipe = pipe
            self.reader = reader
            decoder = InputDecoder(breaking: pump.lockKey.byte)
            lastLook = pump.sinceBoot()
        }

        mutating func run() {
            while finished == nil {
                for command in pump.mailbox.take() { obey(command) }
                if finished == nil { wait() }
            }
            erase(&toProgram)
            erase(&waiting)
            if pump.isPiped { closePipe() }
            if let pipe { close(pipe) }
        }

        private mutating func obey(_ command: Command) {
            switch command {
            case .attach(let descriptor, let pipe):
                master = descriptor
                target = pipe ?? descriptor
                // Input that arrived before the program's start is written now. If the input has already
                // ended, the end of file is passed on too.
                writeToProgram()
            case .end where pump.isPiped:
                isEnding = true
                writeToProgram()
            case .end:
                toProgram.append(InputPump.endKey)
            case .send(let new, let dropping, let done):
                // If the program has the input already, nothing changes, and what is typed now stays.
                let isChange = (receiver, new) != (.program, .program)
                let isDropping = isChange && (pump.isTerminal || dropping && !pump.isPiped)
                let isLocking = isDropping && dropWaiting() && new == .program
                receiver = isLocking ? .none : new
                if receiver == .program {
                    takesAnswers = false
                    toProgram += waiting
                    erase(&waiting)
                }
                if isLocking { pump.deliver(.lockKey) }
                done.resume(returning: isLocking)
            case .withhold(let done):
                receiver = .none
                done.resume()
            case .control(let byte) where pump.isPiped:
                // If the program's terminal does not accept the byte at once, the byte is lost, because the
                // thread must not wait.
                _ = unsafe [byte].withUnsafeBytes { unsafe Descriptors.writeOnce($0, to: master) }
            case .control(let byte):
                toProgram.append(byte)
            case .timeout(let new):
                timeout = new
            case .lookAtClock(let done):
                lookAtClock()
                done.resume(returning: absences)
            case .read(let bytes, let reading):
                isFetching = false
                if bytes.count > 0 { kept = (bytes, 0) } else if reading != .nothing { fetched = reading }
            case .finish(let done):
                // If `finish()` is called twice, the earlier call stops waiting.
                finished?.resume()
                finished = done
            }
        }

        /// Checks whether the machine slept or the process was stopped. If this absence reaches the timeout,
        /// or the lock is due, the program gets no input until the run has decided whether to lock. If a line
        /// is being typed for a screen, no more of it is read after an absence. The run asks for a new line.
        mutating func lookAtClock() {
            let now = pump.sinceBoot()
            let gap = now - lastLook
            lastLook = now
            guard gap >= InputPump.absence else { return }
            absences += 1
            if receiver == .program, timeout.isReached(by: gap) || pump.due.isReached(at: now) {
                receiver = .none
                held = []
            }
            if receiver == .line, !pump.isPiped { receiver = .none }
            pump.deliver(.wasAway(gap))
        }

        /// The time to wait for the rest of an unfinished sequence; `nil` if no sequence is unfinished, or if
        /// no input is read.
        private var patience: Duration? {
            // If the pump does not read, the rest of a sequence cannot arrive, so there is nothing to wait
            // for.
            guard receiver != .none else { return nil }
            // A paste may also pause inside the sequence that ends it. So the long patience applies during a
            // paste, whatever is pending.
            if decoder.isInPaste { return InputPump.longPatience }
            return switch decoder.pending {
            case .nothing: held.isEmpty ? nil : InputPump.patience
            case .escape, .sequence, .character: InputPump.patience
            case .reply, .paste: InputPump.longPatience
            }
        }

        private mutating func wait() {
            // If too many bytes wait for the program, or no process reads the program's pipe any more, no
            // input is read for the program.
            let isRefused = isProgramDeaf || toProgram.count >= InputPump.pipedLimit
            let isFull = waiting.count >= InputPump.pipedLimit && !takesAnswers
            let isBlocked = pump.isPiped && (receiver == .program ? isRefused : isFull)
            let isReading = !hasEnded && receiver != .none && !isBlocked && !isBehind
            isBehind = false
            var wait = DescriptorWait()
            wait.add(pump.mailbox.descriptor)
            let isKept = isReading && (kept != nil || fetched != nil)
            let input = wait.add(isReading && !isKept && !isFetching ? pump.input : nil)
            let program = wait.add(toProgram.isEmpty ? nil : target, .writable)
            let patience = patience
            let ending = wait.wait(atMost: isKept ? .zero : patience ?? InputPump.tick)
            lookAtClock()
            if ending == .timedOut, !isKept { return patience == nil ? () : flush() }
            // If `lookAtClock()` has removed the receiver because of an absence, no input is read.
            if receiver != .none, isKept || !wait[input].isEmpty { readInput() }
            if !wait[program].isEmpty { writeToProgram() }
        }

        // MARK: Change of the receiver

        /// Reads and drops waiting input: typed keys and terminal replies that were meant for the earlier
        /// receiver. The focus reports among them are not lost.
        ///
        /// - Returns: whether the lock key was in the dropped input. If so, the caller can still lock.
        private mutating func dropWaiting() -> Bool {
            var hasLockKey = false
            var focus = FocusReports()
            held = []
            line.clear()
            var count = 0
            while !hasEnded, count < InputPump.dropLimit, DescriptorWait.isReady(pump.input, atMost: .zero) {
                let (bytes, reading) = Self.read(pump.input, atMost: 4096)
                if isOver(reading) {
                    hasEnded = true
                    pump.deliver(.inputEnded)
                    return hasLockKey
                }
                // In the background of the terminal nothing can be read.
                if case .failed = reading { break }
                count += bytes.count
                let key = pump.lockKey.character
                bytes.withBytes { span in
                    decoder.decode(span) { event, _ in
                        if case .control(key) = event { hasLockKey = true }
                        if case .focus(let isFocused) = event { focus.note(isFocused) }
                    }
                }
            }
            for isFocused in focus.changes { pump.deliver(.focus(isFocused)) }
            isForeign = decoder.pending != .nothing
            return hasLockKey
        }

        /// Drops the rest of a sequence or paste that began before the receiver changed.
        ///
        /// - Parameter take: called with each event in the dropped bytes.
        /// - Returns: the number of dropped bytes. If all bytes were dropped, the sequence or paste may
        ///   continue in the next bytes.
        mutating func dropForeign(_ bytes: Span<UInt8>, _ take: (TerminalEvent) -> Void = { _ in }) -> Int {
            var index = 0
            while isForeign, index < bytes.count {
                decoder.decode(bytes.extracting(index..<(index + 1))) { event, _ in take(event) }
                index += 1
                // The decoder tells whether anything is unfinished. An event does not show this: each
                // character of a paste is an event, and so is an unfinished sequence when the next sequence
                // begins.
                isForeign = decoder.pending != .nothing
            }
            return index
        }
    }
}
