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

/// Reads the program's output, and shows it, keeps it, or drops it as the rest of a broken-off sequence.
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
        // The tail's time is checked after every wait, not only after a wait that timed out. If commands
        // ended each wait early, a check after a time-out alone would never show the tail.
        if isWaitingForMore, tailPatience <= .zero { showTail() }
        renewFocusReports()
        if !pending.isEmpty { drain() }
    }

    private var isWaitingForMore: Bool { !tail.isEmpty && !isKeeping && kept.isEmpty }

    /// The time that is left to wait for the rest of an unfinished sequence.
    private var tailPatience: Duration { OutputPump.patience - (ContinuousClock.now - tailSince) }

    /// The time to wait for output and commands; `nil` without a limit.
    private var patience: Duration? {
        if isWaitingForMore { return max(tailPatience, .zero) }
        // The wait ends after a tick at the latest, so that the clock is read. Without this limit, a long
        // time without output would look like an absence.
        let look = timeout == .never && !pump.due.hasIdleTime ? nil : InputPump.tick
        guard mayRenew, let due = renewal.wait(at: pump.sinceBoot(), insideSince: insideSince) else {
            return look
        }
        return min(look ?? due, due)
    }

    /// Whether focus reports may be requested again now. A held tail does not matter: it has not reached the
    /// terminal, so the request does not interrupt it.
    private var mayRenew: Bool { face.reportsFocus && !isKeeping }

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

    /// Notes whether the shown output ends inside a sequence. A sequence that continues keeps its start time.
    private mutating func noteWhetherInside() {
        insideSince = tracker.isBetweenSequences ? nil : insideSince ?? pump.sinceBoot()
    }

    /// Shows the next piece of kept output, once all earlier output was written to the terminal.
    ///
    /// If all kept output were passed on at once, a new lock screen would have to wait until a slow terminal
    /// has accepted all of it.
    ///
    /// - Returns: whether a piece was shown.
    mutating func showPieceOfKept() -> Bool {
        guard !isKeeping, !kept.isEmpty, pending.isEmpty else { return false }
        let piece = tail + kept.prefix(OutputPump.chunk)
        let scanned = tail.count
        kept.removeFirst(min(OutputPump.chunk, kept.count))
        unsafe piece.withUnsafeBytes { unsafe show($0, alreadyScanned: scanned) }
        return true
    }

    /// Reads waiting output of the program once. Returns whether output was read.
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

    /// Shows output up to the end of the last complete sequence or character. The rest is held back, so that
    /// a covering screen does not begin inside a sequence.
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
            // The unfinished sequence begins in the tail of the earlier output, so all bytes are held back.
            complete = 0
        }
        if complete > 0 { insideSince = nil }
        // If more than a chunk would be held back, all bytes are shown, although they end inside a sequence.
        // The sequence may be a picture, which can have megabytes.
        if bytes.count - complete > OutputPump.chunk {
            complete = bytes.count
            noteWhetherInside()
        }
        unsafe put(UnsafeRawBufferPointer(rebasing: bytes[0..<complete]))
        if tracker.didEndFocusReports, face.reportsFocus, insideSince == nil {
            // The run needs focus reports, whether or not the program wants them, so it switches them on
            // again.
            tracker.didEndFocusReports = false
            write(ScreenModes.focusReports)
        }
        renewal.reportsMayBeOff()
        tail = unsafe Array(bytes[complete...])
        renewFocusReports()
        pump.focus.store(tracker.modes.wantsFocus, ordering: .relaxed)
    }

    /// Returns the number of bytes at the end that begin an incomplete UTF-8 character.
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
