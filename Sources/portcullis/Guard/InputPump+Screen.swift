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
        let byte = bytes.withBytes { $0[0] }
        guard pump.isTerminal else { return addToLine(byte) }
        // A terminal may send a key in more ways than as a byte, and replies among them.
        var event: TerminalEvent?
        bytes.withBytes { span in decoder.decode(span) { found, _ in event = found } }
        guard let event else { return }
        guard !isForeign else { return isForeign = false }
        switch event {
        case .key(.enter): finishLine()
        case .key(.delete): removeFromLine()
        case .character(let scalar), .pasted(let scalar):
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
        case .key, .control, .press, .focus, .ignored: break
        }
    }

    private mutating func addToLine(_ byte: UInt8) {
        switch byte {
        case 0x0A, 0x0D:
            // Only one of the two that end a line on some systems.
            finishLine()
        case 0x08, 0x7F: removeFromLine()
        case 0x20...: append(byte)
        default: break
        }
    }

    private mutating func append(_ byte: UInt8) {
        guard line.count < 1024 else { return }
        line = line.withBytes { old in
            SecretBytes(capacity: old.count + 1) { output in
                for index in 0..<old.count { output.append(old[index]) }
                output.append(byte)
            }
        }
    }

    /// The last character, of however many bytes it is.
    private mutating func removeFromLine() {
        line = line.withBytes { old in
            var end = max(0, old.count - 1)
            while end > 0, old[end] & 0xC0 == 0x80 { end -= 1 }
            return SecretBytes(copying: old.extracting(0..<end))
        }
    }

    mutating func finishLine() {
        let finished = line
        line = SecretBytes(copying: [])
        receiver = .none
        pump.deliver(.line(finished))
    }
}
