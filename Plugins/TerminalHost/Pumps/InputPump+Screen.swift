internal import PortcullisCore
internal import Synchronization
internal import TerminalScreens

/// Passes typed input to a screen.
extension InputPump.Loop {
    mutating func deliverToScreen(_ bytes: SecretBytes) {
        var start = 0
        var isForeignNow = isForeign
        bytes.withBytes { span in
            decoder.decode(span) { _, used in
                if isForeignNow { start = used }
                isForeignNow = false
            }
        }
        isForeign = isForeignNow
        guard !isForeign else { return }
        let own = start == 0 ? bytes : bytes.withBytes { SecretBytes(copying: $0.extracting(start...)) }
        // Beyond the limit, input is lost, as in a terminal's driver. Otherwise the screen would have to
        // handle all that input before the person's passcode.
        guard pump.undelivered.load(ordering: .relaxed) + own.count <= InputPump.screenLimit else { return }
        pump.undelivered.add(own.count, ordering: .relaxed)
        pump.deliver(.typed(own))
    }

    mutating func addToLine(_ bytes: SecretBytes) {
        guard bytes.count == 1 else { return }
        guard pump.isTerminal else { return addToLine(bytes.withBytes { $0[0] }) }
        guard !isForeign else {
            var isOver = false
            bytes.withBytes { span in decoder.decode(span) { _, _ in isOver = true } }
            isForeign = !isOver
            return
        }
        if line.take(bytes, by: &decoder) { finishLine() }
    }

    private mutating func addToLine(_ byte: UInt8) {
        switch byte {
        case 0x0A, 0x0D:
            // Either character ends a line. If a system ends lines with both, an empty line follows.
            finishLine()
        case 0x08, 0x7F: line.remove()
        case 0x20...: line.append(byte)
        default: break
        }
    }

    mutating func finishLine() {
        let finished = line.bytes
        line.clear()
        receiver = .none
        pump.deliver(.line(finished))
    }
}
