#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads along with a program's output to know its modes, at the price of a search for ESC.
struct ModeTracker: Sendable {
    private enum State {
        case ground
        case escape
        case csi
        /// OSC, DCS and the like: text until a terminator.
        case string
        case stringEscape
        /// The character set that an ESC ( and the like name.
        case charset
    }

    private(set) var modes = ProgramModes()
    /// Whether the program switched the terminal's focus reports off, wanted or not, since this was looked at.
    var didEndFocusReports = false
    private var state = State.ground
    private var parameters: [UInt8] = []

    /// Whether the output stands between two sequences, where ours may come in.
    var isBetweenSequences: Bool { state == .ground }

    /// Takes output up to the end of the sequence that it is in the middle of.
    ///
    /// - Returns: how much of it belongs to that sequence.
    mutating func skipSequence(_ bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index < bytes.count, state != .ground {
            if state == .string { state = string(unsafe bytes[index]) } else { take(unsafe bytes[index]) }
            index += 1
        }
        return index
    }

    /// Takes output.
    ///
    /// - Returns: the length up to where no sequence is unfinished; the rest may be held back a moment.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var index = 0
        var started = 0
        while index < bytes.count {
            switch state {
            case .ground:
                guard let found = unsafe memchr(base + index, 0x1B, bytes.count - index) else {
                    return bytes.count
                }
                index = unsafe base.distance(to: UnsafeRawPointer(found))
                started = index
                state = .escape
                index += 1
            case .string:
                // A string ends with BEL, ST, CAN or SUB; what is in it does not matter.
                state = string(unsafe bytes[index])
                index += 1
            default:
                take(unsafe bytes[index])
                index += 1
            }
        }
        return state == .ground ? bytes.count : started
    }

    private func string(_ byte: UInt8) -> State {
        switch byte {
        case 0x07, 0x18, 0x1A: .ground
        case 0x1B: .stringEscape
        default: .string
        }
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .escape: escape(byte)
        case .csi:
            switch byte {
            case 0x40..<0x7F:
                state = .ground
                finish(byte)
            case 0x1B: state = .escape
            case 0x18, 0x1A: state = .ground
            default: if parameters.count < 64 { parameters.append(byte) }
            }
        case .stringEscape:
            // ST, or a new sequence that breaks the string off.
            state = .escape
            if byte == UInt8(ascii: "\\") { state = .ground } else { escape(byte) }
        case .charset: state = .ground
        case .ground, .string: break
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "["):
            state = .csi
            parameters.removeAll(keepingCapacity: true)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string
        case 0x1B: break
        case 0x20..<0x30: state = .charset
        default:
            state = .ground
            switch byte {
            case UInt8(ascii: "="): modes.isKeypadApplication = true
            case UInt8(ascii: ">"): modes.isKeypadApplication = false
            case UInt8(ascii: "c"):
                modes = ProgramModes()
                didEndFocusReports = true
            default: break
            }
        }
    }

    private mutating func finish(_ final: UInt8) {
        let prefix = parameters.first
        switch (final, prefix) {
        case (UInt8(ascii: "h"), UInt8(ascii: "?")): for mode in numbers { modes.set(mode, true) }
        case (UInt8(ascii: "l"), UInt8(ascii: "?")):
            for mode in numbers {
                modes.set(mode, false)
                if mode == 1004 { didEndFocusReports = true }
            }
        case (UInt8(ascii: "h"), _): if numbers.contains(4) { modes.isInserting = true }
        case (UInt8(ascii: "l"), _): if numbers.contains(4) { modes.isInserting = false }
        case (UInt8(ascii: "u"), UInt8(ascii: ">")):
            // Terminals bound the stack too.
            if modes.keyboardStack.count >= 16 { modes.keyboardStack.removeFirst() }
            modes.keyboardStack.append(numbers.first ?? 0)
        case (UInt8(ascii: "u"), UInt8(ascii: "<")):
            modes.keyboardStack.removeLast(min(modes.keyboardStack.count, max(1, numbers.first ?? 1)))
        case (UInt8(ascii: "m"), UInt8(ascii: ">")):
            let numbers = numbers
            if numbers.first == 4 { modes.modifyOtherKeys = numbers.count > 1 ? numbers[1] : 0 }
        case (UInt8(ascii: "p"), UInt8(ascii: "!")):
            // A soft reset touches the cursor, its keys, the keypad and inserting; in some terminals the rest, too.
            didEndFocusReports = true
            for (mode, atFirst) in [1: false, 6: false, 7: true, 25: true] { modes.set(mode, atFirst) }
            modes.isKeypadApplication = false
            modes.isInserting = false
        default: break
        }
    }

    private var numbers: [Int] {
        parameters.drop { !(0x30...0x39).contains($0) && $0 != UInt8(ascii: ";") }
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { $0.reduce(0) { min($0 * 10 + Int($1 & 0x0F), 1 << 20) } }
    }
}
