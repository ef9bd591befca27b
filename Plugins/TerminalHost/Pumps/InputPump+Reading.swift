internal import AdapterKit
internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads the terminal or the piped input.
extension InputPump.Loop {
    mutating func readInput() {
        let isKept = kept != nil
        guard let (found, reading) = nextBytes(atMost: receiver == .line ? 1 : 4096) else { return }
        if isOver(reading) {
            if receiver == .line, line.bytes.count > 0 {
                // The last line needs no line end. The next read finds the end of the input again.
                return finishLine()
            }
            hasEnded = true
            return pump.deliver(.inputEnded)
        }
        if case .failed = reading {
            isBehind = true
            return
        }
        // Here an end means that the end-of-file key was pressed. This key is a key like any other: the
        // program gets it, and no screen ends with it.
        let bytes = reading == .end ? SecretBytes(copying: [InputPump.endKey]) : found
        // For kept bytes the clock is not checked again, because `wait()` has just checked it. A second check
        // could set the receiver to `.none`. The case `.none` below would then replace the rest of `kept` by
        // these bytes.
        if !isKept { lookAtClock() }
        switch receiver {
        case .program where pump.isPiped: bytes.withBytes { forwardPiped($0) }
        case .program: bytes.withBytes { forward($0) }
        case .screen: deliverToScreen(bytes)
        case .line: addToLine(bytes)
        case .none where pump.isPiped && bytes.count > 0: kept = (bytes, 0)
        // Keys that were typed during an absence are dropped.
        case .none: break
        }
    }

    /// Returns the next bytes, and how they were read; `nil` if the reader has begun to read.
    private mutating func nextBytes(
        atMost count: Int
    ) -> (bytes: SecretBytes, reading: Descriptors.Reading)? {
        if let old = takeKept(atMost: count) { return (old, .bytes(old.count)) }
        guard let reader else { return Self.read(pipe ?? pump.input, atMost: count) }
        if let reading = fetched {
            fetched = nil
            return (SecretBytes(copying: [UInt8]()), reading)
        }
        isFetching = true
        // The job does not retain the pump, because the job's read may last longer than the pump.
        reader.enqueue { [input = pump.input, mailbox = pump.mailbox] in
            let (bytes, reading) = Self.read(input, atMost: count)
            mailbox.post(.read(bytes, reading))
        }
        return nil
    }

    /// Returns kept bytes of a pipe; `nil` when none are left.
    private mutating func takeKept(atMost count: Int) -> SecretBytes? {
        guard let (bytes, used) = kept else { return nil }
        let end = min(used + count, bytes.count)
        kept = end < bytes.count ? (bytes, end) : nil
        return bytes.withBytes { SecretBytes(copying: $0.extracting(used..<end)) }
    }

    /// Reads waiting bytes of an input, directly into protected memory, because they may be a passcode.
    static func read(
        _ input: Int32,
        atMost count: Int
    ) -> (bytes: SecretBytes, reading: Descriptors.Reading) {
        var reading = Descriptors.Reading.nothing
        let bytes = SecretBytes(capacity: count) { output in reading = Self.read(input, into: &output) }
        return (bytes, reading)
    }

    private static func read(_ input: Int32, into output: inout OutputSpan<UInt8>) -> Descriptors.Reading {
        unsafe output.withUnsafeMutableBufferPointer { buffer, count in
            let reading = unsafe Descriptors.read(input, into: UnsafeMutableRawBufferPointer(buffer))
            if case .bytes(let read) = reading { count = read }
            return reading
        }
    }

    /// Whether a read has found the end of the input. At a terminal, an end counts only if the terminal has
    /// hung up. A terminal that passes on whole lines also reports an end for its end-of-file key, but more
    /// input may follow.
    func isOver(_ reading: Descriptors.Reading) -> Bool {
        switch reading {
        case .bytes, .nothing: return false
        // An error counts as the end of the input. In the background of a terminal it does not.
        case .failed: return !TerminalPlace.hasFailed(reading, of: pump.input)
        case .end:
            guard !pump.isPiped, isatty(pump.input) == 1 else { return true }
            var wait = DescriptorWait()
            let input = wait.add(pump.input, [])
            _ = wait.wait(atMost: .zero)
            return !wait[input].isDisjoint(with: .hungUp)
        }
    }
}
