internal import LinuxSystem
internal import PortcullisCore
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Passes typed input to the program.
extension InputPump.Loop {
    mutating func forward(_ bytes: Span<UInt8>) {
        var isLocked = false
        var isActivity = false
        var passed: [UInt8] = []
        var focus = FocusReports()
        // The closures must not use `self` while the decoder, a part of `self`, is being changed.
        let pump = pump
        var heldNow = held
        held = []
        let foreign = dropForeign(bytes) { event in
            if case .control(pump.lockKey.character) = event { isLocked = true }
            if case .focus(let isFocused) = event { focus.note(isFocused) }
        }
        var start = foreign
        decoder.decode(bytes.extracting(foreign...)) { event, count in
            guard !isLocked else { return }
            let used = foreign + count
            var isForProgram = true
            switch event {
            case .control(pump.lockKey.character):
                isLocked = true
                isForProgram = false
            case .focus(let isFocused):
                focus.note(isFocused)
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
        for isFocused in focus.changes { pump.deliver(.focus(isFocused)) }
        if isLocked {
            receiver = .none
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

    /// Passes piped bytes to the program unchanged, up to the lock key. Bytes after the key are kept for
    /// later.
    mutating func forwardPiped(_ bytes: Span<UInt8>) {
        var index = 0
        while index < bytes.count, bytes[index] != pump.lockKey.byte {
            toProgram.append(bytes[index])
            index += 1
        }
        writeToProgram()
        guard index < bytes.count else { return }
        receiver = .none
        takesAnswers = true
        if index + 1 < bytes.count { kept = (SecretBytes(copying: bytes.extracting((index + 1)...)), 0) }
        pump.deliver(.lockKey)
    }

    private mutating func enqueue(_ bytes: inout [UInt8]) {
        if written > InputPump.pipedLimit {
            toProgram.removeFirst(written)
            written = 0
        }
        // Excess input is lost, as in a terminal's driver when no process reads.
        if toProgram.count - written + bytes.count <= InputPump.pendingLimit { toProgram += bytes }
        erase(&bytes)
        writeToProgram()
    }

    mutating func writeToProgram() {
        // Before the program starts, and after its pipe is closed, there is no descriptor to write to.
        guard target >= 0 else { return }
        while written < toProgram.count {
            let count = unsafe toProgram.withUnsafeBytes { bytes in
                unsafe Descriptors.writeOnce(UnsafeRawBufferPointer(rebasing: bytes[written...]), to: target)
            }
            guard let count else { return programIsGone() }
            if count == 0 { return }
            written += count
        }
        erase(&toProgram)
        written = 0
        if isEnding { closePipe() }
    }

    /// Handles a write that fails because no process reads the program's input any more. The rest of a piped
    /// input is then read for screens only.
    private mutating func programIsGone() {
        erase(&toProgram)
        written = 0
        guard pump.isPiped else { return }
        isProgramDeaf = true
        closePipe()
    }

    mutating func closePipe() {
        guard target >= 0 else { return }
        close(target)
        target = -1
    }

    func erase(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { unsafe SecretHeap.zero(base, buffer.count) }
        }
        bytes = []
    }

    /// Passes held bytes to the program after the time limit. No byte has followed, so the held bytes are a
    /// key and not the start of a sequence.
    mutating func flush() {
        _ = decoder.giveUp()
        var late = held
        held = []
        if !isForeign { enqueue(&late) }
        isForeign = false
    }

    /// Reports activity at most once a second, which is enough for idle timers of minutes.
    private mutating func noteActivity() {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        guard now.tv_sec != lastActivity.tv_sec else { return }
        lastActivity = now
        // The session starts its idle time anew when the run handles `.activity`, which is now or later. So
        // the time in `due` is never later than the session's own time to lock.
        pump.due.personWasActive(at: pump.sinceBoot())
        pump.deliver(.activity)
    }
}
