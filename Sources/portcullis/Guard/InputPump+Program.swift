internal import PortcullisCore
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What is typed for the program.
extension InputPump.Loop {
    mutating func forward(_ bytes: Span<UInt8>) {
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

    private mutating func enqueue(_ bytes: inout [UInt8]) {
        // As a terminal's driver does when no process reads: what is too much is lost.
        if toProgram.count + bytes.count <= InputPump.pendingLimit { toProgram += bytes }
        erase(&bytes)
        writeToProgram()
    }

    mutating func writeToProgram() {
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
    mutating func flush() {
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
}
