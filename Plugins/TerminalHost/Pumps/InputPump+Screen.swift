internal import PortcullisCore
internal import Synchronization
internal import TerminalScreens

/// Passes typed input to a screen.
extension InputPump.Loop {
    mutating func deliverToScreen(_ bytes: SecretBytes) {
        var focus = FocusReports()
        let start = bytes.withBytes { span in
            let start = dropForeign(span) { if case .focus(let isFocused) = $0 { focus.note(isFocused) } }
            decoder.decode(span.extracting(start...)) { _, _ in }
            return start
        }
        for isFocused in focus.changes { pump.deliver(.focus(isFocused)) }
        guard !isForeign, start < bytes.count else { return }
        let own = start == 0 ? bytes : bytes.withBytes { SecretBytes(copying: $0.extracting(start...)) }
        // Input above the limit is dropped, as in a terminal's driver. Without the limit, the screen would
        // have to handle all waiting input before a passcode that the person types now. If the dropped input
        // ends with the start of a sequence, `isForeign` makes the pump drop the rest of the sequence, too.
        guard pump.undelivered.load(ordering: .relaxed) + own.count <= InputPump.screenLimit else {
            isForeign = decoder.pending != .nothing
            return
        }
        pump.undelivered.add(own.count, ordering: .relaxed)
        pump.deliver(.typed(own))
    }

    mutating func addToLine(_ bytes: SecretBytes) {
        guard bytes.count == 1 else { return }
        guard pump.isTerminal else { return addToLine(bytes.withBytes { $0[0] }) }
        var focus = FocusReports()
        var isEnded = false
        var isInterrupted = false
        if isForeign {
            _ = bytes.withBytes { span in
                dropForeign(span) { if case .focus(let isFocused) = $0 { focus.note(isFocused) } }
            }
        } else {
            isEnded = line.take(bytes, by: &decoder) {
                if case .focus(let isFocused) = $0 { focus.note(isFocused) }
                if $0 == .control("c") { isInterrupted = true }
            }
        }
        // When the focus is lost, the typed part of the line is dropped here. A Return may follow before the
        // run has handled the report, and must not end that line.
        if focus.changes.contains(false) { line.clear() }
        for isFocused in focus.changes { pump.deliver(.focus(isFocused)) }
        if isInterrupted, pump.lockKey.character != "c" { pump.deliver(.interrupted) }
        if isEnded { finishLine() }
    }

    private mutating func addToLine(_ byte: UInt8) {
        guard takesAnswers || !pump.isPiped else { return keep(byte) }
        switch byte {
        case 0x0A, 0x0D:
            // Either character ends a line. If a system ends lines with both, an empty line follows.
            finishLine()
        case 0x08, 0x7F: line.remove()
        case 0x20...: line.append(byte)
        default: break
        }
    }

    /// Keeps a byte of a pipe for the program, up to the lock key. The lines after the key are answers.
    private mutating func keep(_ byte: UInt8) {
        if byte == pump.lockKey.byte {
            takesAnswers = true
        } else if !isProgramDeaf {
            waiting.append(byte)
        }
    }

    mutating func finishLine() {
        let finished = line.bytes
        line.clear()
        receiver = .none
        pump.deliver(.line(finished))
    }
}
