internal import LinuxSystem
internal import PasscodeLock
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What the program writes: shown, kept, or dropped where its beginning was cut off.
extension OutputPump.Loop {
    private var mayRead: Bool {
        master >= 0 && (isKeeping ? kept.count < OutputPump.keptLimit : pending.isEmpty && kept.isEmpty)
    }

    mutating func wait() {
        var wait = DescriptorWait()
        wait.add(pump.mailbox.descriptor)
        wait.add(pending.isEmpty ? nil : pump.terminal, .writable)
        wait.add(mayRead ? master : nil)
        _ = wait.wait(atMost: patience)
        lookAtClock()
        // Not only where nothing came: commands may come all the time.
        if isWaitingForMore, tailPatience <= .zero { showTail() }
        renewFocusReports()
        if !pending.isEmpty { drain() }
    }

    private var isWaitingForMore: Bool { !tail.isEmpty && !isKeeping && kept.isEmpty }

    /// How long the rest of an unfinished sequence is still waited for.
    private var tailPatience: Duration { OutputPump.patience - (ContinuousClock.now - tailSince) }

    /// How long to wait for output and commands; `nil` for ever.
    private var patience: Duration? {
        if isWaitingForMore { return max(tailPatience, .zero) }
        // Without a look now and then, quiet would be taken for an absence.
        let look = timeout == .never ? nil : InputPump.tick
        guard mayRenew, let due = renewal.wait(at: pump.sinceBoot(), insideSince: insideSince) else {
            return look
        }
        return min(look ?? due, due)
    }

    /// What is kept back of a sequence that has begun has not reached the terminal, so it is in nothing's way.
    private var mayRenew: Bool { face == .drawn && !isKeeping }

    mutating func renewFocusReports() {
        guard mayRenew, renewal.isDue(at: pump.sinceBoot(), insideSince: insideSince) else { return }
        if insideSince != nil { cutOff() }
        write(ScreenModes.focusReportsAgain)
    }

    mutating func showTail() {
        guard !tail.isEmpty else { return }
        put(tail)
        tail = []
        noteWhetherInside()
    }

    /// What was written may have ended in the middle of a sequence; one that goes on keeps its beginning.
    private mutating func noteWhetherInside() {
        insideSince = tracker.isBetweenSequences ? nil : insideSince ?? pump.sinceBoot()
    }

    /// Shows the next piece of what was kept, once the terminal has taken what came before it.
    ///
    /// Handed over as a whole it would stand before a lock screen that comes now, for as long as a slow terminal takes
    /// for all of it.
    ///
    /// - Returns: whether there was anything to show.
    mutating func showPieceOfKept() -> Bool {
        guard !isKeeping, !kept.isEmpty, pending.isEmpty else { return false }
        let piece = tail + kept.prefix(OutputPump.chunk)
        let scanned = tail.count
        kept.removeFirst(min(OutputPump.chunk, kept.count))
        unsafe piece.withUnsafeBytes { unsafe show($0, alreadyScanned: scanned) }
        return true
    }

    /// - Returns: whether there was anything.
    mutating func readOnce() -> Bool {
        guard mayRead else { return false }
        let before = isKeeping ? 0 : tail.count
        for index in 0..<before { unsafe self.buffer[index] = tail[index] }
        let room = isKeeping ? OutputPump.keptLimit - kept.count : OutputPump.chunk
        let end = before + min(OutputPump.chunk, room)
        var filled = before
        while filled < end {
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end])
            guard case .bytes(let count) = unsafe Descriptors.read(master, into: part) else { break }
            filled += count
        }
        guard filled > before else { return false }
        lookAtClock()
        if pump.around.hasScreen {
            let fresh = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[before..<filled])
            filled = unsafe before + messages.filter(fresh)
            guard filled > before else { return true }
        }
        if isKeeping {
            unsafe kept.append(contentsOf: buffer[before..<filled])
        } else {
            unsafe show(UnsafeRawBufferPointer(rebasing: buffer[0..<filled]), alreadyScanned: before)
        }
        return true
    }

    /// Writes output up to the last place where a screen of ours could come in; keeps the rest back.
    private mutating func show(_ bytes: UnsafeRawBufferPointer, alreadyScanned: Int) {
        var bytes = unsafe bytes
        if let began = brokenSince {
            let isLate = pump.sinceBoot() - began >= FocusRenewal.patience
            let end = unsafe tracker.skipSequence(bytes, isLate: isLate)
            if tracker.isBetweenSequences { brokenSince = nil }
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
        if complete > 0 { insideSince = nil }
        // A long string is not worth keeping back: a picture can have megabytes.
        if bytes.count - complete > OutputPump.chunk {
            complete = bytes.count
            noteWhetherInside()
        }
        unsafe put(UnsafeRawBufferPointer(rebasing: bytes[0..<complete]))
        if tracker.didEndFocusReports, face == .drawn, insideSince == nil {
            // Ours go on, whatever the program wants to hear of them.
            tracker.didEndFocusReports = false
            write(ScreenModes.focusReports)
        }
        renewal.outputWasShown()
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
