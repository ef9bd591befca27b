/// Translates the bytes of a complete key or report, as defined by xterm and the kitty keyboard protocol.
enum KeySequences {
    static func control(_ byte: UInt8) -> TerminalEvent {
        switch byte {
        case 0x0D, 0x0A: .key(.enter)
        case 0x09: .key(.tab)
        case 0x08, 0x7F: .key(.delete)
        // The byte of Ctrl-A is 1. The event has the letter that is pressed together with Ctrl.
        case 0x01..<0x1B: .control(Unicode.Scalar(byte + 0x60))
        default: .control(Unicode.Scalar(byte + 0x40))
        }
    }

    static func ss3(_ byte: UInt8) -> TerminalEvent {
        switch byte {
        case UInt8(ascii: "M"): .key(.enter)
        case UInt8(ascii: "I"): .key(.tab)
        // These are the keypad's digits in application mode: p is 0, y is 9.
        case UInt8(ascii: "p")...UInt8(ascii: "y"): .character(Unicode.Scalar(byte - 0x40))
        default: named(byte) ?? .ignored
        }
    }

    private static func named(_ byte: UInt8) -> TerminalEvent? {
        switch byte {
        case UInt8(ascii: "A"): .key(.up)
        case UInt8(ascii: "B"): .key(.down)
        case UInt8(ascii: "C"): .key(.right)
        case UInt8(ascii: "D"): .key(.left)
        case UInt8(ascii: "F"): .key(.end)
        case UInt8(ascii: "H"): .key(.home)
        default: nil
        }
    }

    /// Translates a CSI sequence.
    ///
    /// The key of the control byte `breaking` means the same with and without Alt. A terminal reports this
    /// key with Alt as ESC and the byte, or as a CSI sequence. In the first case ``InputDecoder`` ignores the
    /// ESC. In the second case this function ignores Alt.
    static func csi(_ sequence: [UInt8], _ final: UInt8, breaking: UInt8? = nil) -> TerminalEvent {
        if sequence.first == UInt8(ascii: "<") { return mouse(sequence, final) }
        let numbers = numbers(sequence)
        switch final {
        case UInt8(ascii: "I") where sequence.isEmpty: return .focus(true)
        case UInt8(ascii: "O") where sequence.isEmpty: return .focus(false)
        case UInt8(ascii: "Z"): return .key(.backTab)
        case UInt8(ascii: "~"):
            guard let numbers else { return .ignored }
            switch numbers.first {
            case [1], [7]: return .key(.home)
            case [3]: return .key(.delete)
            case [4], [8]: return .key(.end)
            case [5]: return .key(.pageUp)
            case [6]: return .key(.pageDown)
            default: break
            }
            // A sequence of modifyOtherKeys has three numbers: 27, the modifiers, and the key.
            if numbers.count == 3, numbers[0] == [27] {
                // The code stands for the typed character, so it includes the effect of Shift.
                let code = numbers[2].first ?? 0
                return key(code, shifted: code, modifiers: numbers[1].first ?? 1, breaking: breaking)
            }
            return .ignored
        case UInt8(ascii: "u"):
            guard let numbers, let code = numbers.first?.first else { return .ignored }
            let modifiers = numbers.count > 1 ? numbers[1] : [1]
            // The second part of the modifiers is the kind of the event. Kind 3 means that the key was
            // released.
            if modifiers.count > 1, modifiers[1] == 3 { return .ignored }
            // The first number consists of up to three codes: for the key itself, for the key with Shift, and
            // for the key on a PC keyboard.
            let codes = numbers[0]
            let base = codes.count > 2 ? codes[2] : nil
            let shifted = codes.count > 1 ? codes[1] : nil
            let held = max(0, (modifiers.first ?? 1) - 1) & 0b1111
            // The sequence may also report the text that the key types. If it does not, it may report the
            // character that the key types with Shift.
            var text: TerminalEvent?
            if held <= 1, numbers.count > 2, numbers[2].count == 1 { text = typed(numbers[2][0]) }
            if held == 1, codes.count > 1 { text = text ?? typed(codes[1]) }
            return text
                ?? key(
                    code,
                    shifted: shifted,
                    base: base,
                    modifiers: modifiers.first ?? 1,
                    breaking: breaking
                )
        case UInt8(ascii: "_"): return windowsKey(numbers ?? [])
        default:
            guard let numbers, numbers.last.map({ $0.count < 2 || $0[1] != 3 }) ?? true else {
                return .ignored
            }
            return named(final) ?? .ignored
        }
    }

    /// Translates a key's code. Kitty's protocol and modifyOtherKeys both send the modifiers as a bit field
    /// plus one.
    private static func key(
        _ code: Int,
        shifted: Int? = nil,
        base: Int? = nil,
        modifiers: Int,
        breaking: UInt8?
    ) -> TerminalEvent {
        let held = max(0, modifiers - 1) & 0b1111
        if held & 0b10 != 0 {
            let event = key(code, shifted: shifted, base: base, modifiers: modifiers - 0b10, breaking: nil)
            guard case .control(let key) = event, UInt8(truncatingIfNeeded: key.value) & 0x1F == breaking
            else {
                return .ignored
            }
            return event
        }
        let shift = held & 1 != 0
        let isControl = held & 4 != 0
        guard held & 0b1000 == 0, let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init) else {
            return .ignored
        }
        switch code {
        case 13, 57414: return .key(.enter)
        case 9: return .key(shift ? .backTab : .tab)
        case 27: return .key(.escape)
        case 8, 127: return .key(.delete)
        // These are the keypad's digits in kitty's private range.
        case 57399...57408 where !isControl: return .character(Unicode.Scalar(UInt8(0x30 + code - 57399)))
        default:
            if isControl {
                // If the key types a letter of another script, Ctrl applies to the character that the same
                // key has on a PC keyboard.
                let held = scalar.isASCII ? scalar : BaseLayout.key(of: scalar, reported: base)
                guard let held, held.value >= 0x20 else { return .ignored }
                return controlled(held, shifted: shift ? shifted ?? 1 : nil)
            }
            guard code >= 0x20, !shift, scalar.properties.generalCategory != .privateUse else {
                return .ignored
            }
            return .character(scalar)
        }
    }

    /// Translates a key that is pressed together with Ctrl. The result is the event of the control byte that
    /// terminals usually send for this key with Ctrl.
    ///
    /// - Parameters:
    ///   - key: the character on the key.
    ///   - shifted: the key's character with Shift; `nil` if Shift is not held. The value is 1 if the
    ///     terminal did not report that character; in that case a US keyboard is assumed.
    private static func controlled(_ key: Unicode.Scalar, shifted: Int?) -> TerminalEvent {
        switch (key, shifted) {
        case (" ", _), (_, 0x40?), ("2", 1?): .control("@")
        case (_, 0x5E?), ("6", 1?): .control("^")
        case (_, 0x5F?), ("-", 1?), ("/", nil): .control("_")
        // With Caps Lock the terminal reports an upper-case letter.
        case ("A"..."Z", _): .control(Unicode.Scalar(UInt8(key.value) + 0x20))
        default: digit(shifted ?? Int(key.value)) ?? .control(key)
        }
    }

    /// Translates Ctrl with a digit from 2 to 8. This is the usual way to type controls that have no key of
    /// their own.
    private static func digit(_ typed: Int) -> TerminalEvent? {
        switch typed {
        case 0x32: .control("@")
        case 0x33: .key(.escape)
        case 0x34...0x37: .control(Unicode.Scalar(UInt8(typed + 0x28)))
        case 0x38: .key(.delete)
        default: nil
        }
    }

    /// Returns the event of a typed character; `nil` for a control character.
    private static func typed(_ code: Int) -> TerminalEvent? {
        guard code >= 0x20, let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init),
            scalar.properties.generalCategory != .control
        else { return nil }
        return .character(scalar)
    }

    /// Translates an event of the Windows console (win32-input-mode): virtual key, scan code, character,
    /// whether the key is pressed, and modifiers.
    private static func windowsKey(_ numbers: [[Int]]) -> TerminalEvent {
        guard numbers.count >= 4, numbers.allSatisfy({ $0.count == 1 }), numbers[3] == [1] else {
            return .ignored
        }
        let code = numbers[2][0]
        if let byte = UInt8(exactly: code), byte == 0x7F || (0x01..<0x20).contains(byte) {
            return byte == 0x1B ? .key(.escape) : control(byte)
        }
        // If Alt is held without Ctrl, no character is typed. Alt with Ctrl is AltGr.
        let held = numbers.count > 4 ? numbers[4][0] : 0
        if held & 0b11 != 0, held & 0b1100 == 0 { return .ignored }
        return typed(code) ?? .ignored
    }

    private static func mouse(_ sequence: [UInt8], _ final: UInt8) -> TerminalEvent {
        guard final == UInt8(ascii: "M"), let numbers = numbers(sequence.dropFirst()), numbers.count == 3,
            let button = numbers[0].first, let x = numbers[1].first, let y = numbers[2].first,
            // Motion (bit 5), the wheel and more buttons (bits 6 and 7) are left out.
            (0...2).contains(button & 0b11), button & ~0b1_1111 == 0, x > 0, y > 0
        else { return .ignored }
        return .press(button: button & 0b11, x: x - 1, y: y - 1)
    }

    /// Returns the parameters, each as a list of its parts. Parameters are separated by `;`, and parts by
    /// `:`. The result is `nil` when the bytes contain a character that is neither a digit nor a separator.
    /// The replies of a terminal contain such characters.
    private static func numbers(_ bytes: some Collection<UInt8>) -> [[Int]]? {
        var all: [[Int]] = [[]]
        var current: Int?
        func close() { all[all.count - 1].append(current ?? 1) }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                current = min((current ?? 0) * 10 + Int(byte - 0x30), 1 << 24)
            case UInt8(ascii: ";"):
                close()
                all.append([])
                current = nil
            case UInt8(ascii: ":"):
                close()
                current = nil
            default:
                return nil
            }
        }
        close()
        return all
    }
}
