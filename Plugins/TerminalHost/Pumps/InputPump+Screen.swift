internal import PortcullisCore
internal import Synchronization
internal import TerminalScreens

/// What is typed for a screen.
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
        // What a person does not type is lost, as a terminal's driver loses it: kept, it would be heard before the passcode.
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
            // Only one of the two that end a line on some systems.
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
