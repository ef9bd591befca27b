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
    /// What the thread alone touches.
    struct Loop {
        let pump: InputPump
        var master: Int32 = -1
        /// Where the program's input goes: into its terminal, or a pipe; -1 while it takes none.
        var target: Int32 = -1
        /// Whether the pipe ends after what is still to be written.
        var isEnding = false
        var receiver = Receiver.none
        var decoder: InputDecoder
        /// Whether what the decoder is in the middle of belongs to neither side.
        var isForeign = false
        /// The start of a sequence that may have to be withheld from the program.
        var held: [UInt8] = []
        /// What was typed of a line.
        var line = SecretLine(keepsControls: false)
        /// What was read of a pipe behind the lock key: for the lines of the screens that come, and then the program.
        var behindKey: (bytes: SecretBytes, used: Int)?
        var toProgram: [UInt8] = []
        /// How much of it was written.
        var written = 0
        var hasEnded = false
        /// What waits for the thread's end.
        var finished: CheckedContinuation<Void, Never>?
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
            while finished == nil {
                for command in pump.mailbox.take() { obey(command) }
                if finished == nil { wait() }
            }
            erase(&toProgram)
            if pump.isPiped { closePipe() }
        }

        private mutating func obey(_ command: Command) {
            switch command {
            case .attach(let descriptor, let pipe):
                master = descriptor
                target = pipe ?? descriptor
                // What came before it waits, an end included.
                writeToProgram()
            case .end where pump.isPiped:
                isEnding = true
                writeToProgram()
            case .end:
                toProgram.append(4)
            case .send(let new, let done):
                let isLocking = pump.isTerminal && dropWaiting() && new == .program
                receiver = isLocking ? .none : new
                if isLocking { pump.deliver(.lockKey) }
                done.resume(returning: isLocking)
            case .control(let byte) where pump.isPiped:
                Descriptors.write([byte], to: master)
            case .control(let byte):
                toProgram.append(byte)
            case .timeout(let new):
                timeout = new
            case .lookAtClock(let done):
                lookAtClock()
                done.resume(returning: absences)
            case .finish(let done):
                // A second one waits for nothing.
                finished?.resume()
                finished = done
            }
        }

        /// Notices when the machine slept or the process was stopped. What was typed before it could be locked
        /// is dropped.
        private mutating func lookAtClock() {
            let now = pump.sinceBoot()
            let gap = now - lastLook
            lastLook = now
            guard gap >= InputPump.absence else { return }
            absences += 1
            if receiver == .program, timeout.isReached(by: gap) {
                receiver = .none
                held = []
            }
            pump.deliver(.wasAway(gap))
        }

        /// How long to wait for the rest of what has begun; `nil` when nothing has.
        private var patience: Duration? {
            // What is not read is not late.
            guard receiver != .none else { return nil }
            return switch decoder.pending {
            case .nothing: held.isEmpty ? nil : InputPump.patience
            case .escape, .sequence, .character: InputPump.patience
            case .reply, .paste: InputPump.longPatience
            }
        }

        private mutating func wait() {
            let isFull = pump.isPiped && receiver == .program && toProgram.count >= InputPump.pipedLimit
            let isReading = !hasEnded && receiver != .none && !isFull
            var wait = DescriptorWait()
            wait.add(pump.mailbox.descriptor)
            let isKept = isReading && behindKey != nil
            let input = wait.add(isReading && !isKept ? pump.input : nil)
            let program = wait.add(toProgram.isEmpty ? nil : target, .writable)
            let patience = patience
            let ending = wait.wait(atMost: isKept ? .zero : patience ?? InputPump.tick)
            lookAtClock()
            if ending == .timedOut, !isKept { return patience == nil ? () : flush() }
            if isKept || !wait[input].isEmpty { readInput() }
            if !wait[program].isEmpty { writeToProgram() }
        }

        private mutating func readInput() {
            // Into protected memory at once: it may be a passcode.
            var didEnd = false
            let capacity = receiver == .line ? 1 : 4096
            let bytes =
                takeKept(atMost: capacity)
                ?? SecretBytes(capacity: capacity) { output in
                    didEnd = Self.read(pump.input, into: &output)
                }
            if didEnd {
                if receiver == .line, line.bytes.count > 0 {
                    // The last line needs no end. The input's own is found again by who asks for another line.
                    return finishLine()
                }
                hasEnded = true
                return pump.deliver(.inputEnded)
            }
            lookAtClock()
            switch receiver {
            case .program where pump.isPiped: bytes.withBytes { forwardPiped($0) }
            case .program: bytes.withBytes { forward($0) }
            case .screen: deliverToScreen(bytes)
            case .line: addToLine(bytes)
            case .none: break
            }
        }

        /// What is still there of what was read behind the lock key; `nil` for nothing.
        private mutating func takeKept(atMost count: Int) -> SecretBytes? {
            guard let (bytes, used) = behindKey else { return nil }
            let end = min(used + count, bytes.count)
            behindKey = end < bytes.count ? (bytes, end) : nil
            return bytes.withBytes { SecretBytes(copying: $0.extracting(used..<end)) }
        }

        /// - Returns: whether the input ended.
        static func read(_ input: Int32, into output: inout OutputSpan<UInt8>) -> Bool {
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                switch unsafe Descriptors.read(input, into: UnsafeMutableRawBufferPointer(buffer)) {
                case .bytes(let read): count = read
                case .nothing: break
                // An error comes to the same as the end.
                case .end, .failed: return true
                }
                return false
            }
        }

        // MARK: Borders

        /// Reads and drops what was typed, or answered by the terminal, for whom it was not meant.
        ///
        /// - Returns: whether the lock key was among it: a person who wants to lock is not to be passed over.
        private mutating func dropWaiting() -> Bool {
            var hasLockKey = false
            held = []
            line.clear()
            while !hasEnded, DescriptorWait.isReady(pump.input, atMost: .zero) {
                var didEnd = false
                let bytes = SecretBytes(capacity: 4096) { output in
                    didEnd = Self.read(pump.input, into: &output)
                }
                if didEnd {
                    hasEnded = true
                    pump.deliver(.inputEnded)
                    return hasLockKey
                }
                let key = pump.lockKey.character
                bytes.withBytes { span in
                    decoder.decode(span) { event, _ in
                        if case .control(key) = event { hasLockKey = true }
                    }
                }
            }
            isForeign = decoder.pending != .nothing
            return hasLockKey
        }
    }
}
