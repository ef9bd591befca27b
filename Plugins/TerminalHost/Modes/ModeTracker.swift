#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads along with a program's output to know its modes and titles, at the price of a search for ESC.
///
/// It reads as terminals do: controls inside a sequence are carried out and do not end it, and numbers have no length.
/// Where terminals differ, in what begins a string and what ends it, a later sequence counts in any case; and what may
/// have switched focus reports off in one of them counts as if it had.
struct ModeTracker: Sendable {
    /// What a string is to be.
    enum StringKind: Sendable, Hashable {
        /// OSC, which BEL ends as well.
        case command
        /// The name of a window, ESC k.
        case name
        /// DCS, APC, PM, SOS and GNU screen's ESC !, which ST ends.
        case other
    }

    private enum State: Sendable, Hashable {
        case ground
        /// The first half of a C1 control, or of another character.
        case lead
        case escape
        /// ESC and the first half of a C1 control.
        case escapeLead
        /// ESC with characters between it and the final one, which name a character set and the like.
        case intermediate
        case csi
        case string(StringKind)
        case stringEscape(StringKind)
        case stringLead(StringKind)
    }

    /// What the program has switched.
    var modes = ProgramModes()
    /// Whether the program switched the terminal's focus reports off, wanted or not, since this was looked at.
    var didEndFocusReports = false
    private var state = State.ground
    private var sequence = ControlSequence()
    /// The first character between ESC and the final one.
    private var intermediate: UInt8 = 0
    /// More of a string than this is not kept: all colours of a palette in one.
    private static let longestText = 8192
    private var text: [UInt8] = []
    /// Whether every terminal takes the string for one.
    private var isCertain = true

    /// Whether the output stands between two sequences, where ours may come in.
    var isBetweenSequences: Bool { state == .ground }

    /// The output before was broken off on the terminal, where none of it goes on.
    ///
    /// - Returns: whether what comes next is the rest of it, which must not appear. Of what only some terminals take for
    ///   a string it is not: elsewhere it is text, and has no end.
    mutating func breakOff() -> Bool {
        switch state {
        case .string, .stringLead: if !isCertain { state = .ground }
        default: break
        }
        return state != .ground
    }

    /// Takes output up to the end of the sequence that was broken off.
    ///
    /// - Parameter isLate: whether a string has gone on for so long that it may have none: then a line ends it.
    /// - Returns: how much of it belongs to that sequence.
    mutating func skipSequence(_ bytes: UnsafeRawBufferPointer, isLate: Bool) -> Int {
        var index = 0
        while index < bytes.count, state != .ground {
            if case .string = state, unsafe bytes[index] == 0x1B,
                unsafe index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\\")
            {
                // Another sequence, which breaks the string off by itself. ST alone means nothing.
                state = .ground
                break
            }
            if isLate, case .string = state, unsafe bytes[index] == 0x0D || bytes[index] == 0x0A {
                state = .ground
                break
            }
            take(unsafe bytes[index])
            index += 1
        }
        return index
    }

    /// Takes output.
    ///
    /// - Returns: the length up to where no sequence is unfinished; the rest may be held back a moment.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        var started = 0
        while index < bytes.count {
            if state == .ground {
                guard let found = unsafe Self.introducer(in: bytes, from: index) else { return bytes.count }
                started = found
                index = found
            }
            take(unsafe bytes[index])
            index += 1
        }
        return state == .ground ? bytes.count : started
    }

    /// The place of the next byte that may begin a sequence: ESC, or the first half of a C1 control in UTF-8.
    private static func introducer(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let escape = unsafe memchr(base + index, 0x1B, bytes.count - index)
        let end = unsafe escape.map { unsafe base.distance(to: UnsafeRawPointer($0)) }
        var next = index
        while next < end ?? bytes.count {
            guard let lead = unsafe memchr(base + next, 0xC2, (end ?? bytes.count) - next) else { return end }
            let place = unsafe base.distance(to: UnsafeRawPointer(lead))
            // Most of what follows is a letter, and not worth a stop.
            if place + 1 == bytes.count { return place }
            if unsafe (0x80..<0xA0).contains(bytes[place + 1]) { return place }
            next = place + 1
        }
        return end
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: state = byte == 0x1B ? .escape : byte == 0xC2 ? .lead : .ground
        case .lead: afterLead(byte, within: nil)
        case .escape: escape(byte)
        case .escapeLead:
            if (0x80..<0xA0).contains(byte) { escape(byte - 0x40, isCertain: false) } else { escape(byte) }
        case .intermediate: afterIntermediate(byte)
        case .csi:
            switch byte {
            case 0x18, 0x1A: state = .ground
            case 0x1B: state = .escape
            case 0x20..<0x40: sequence.take(byte)
            case 0x40..<0x7F:
                state = .ground
                finish(sequence, byte)
            case 0x80...: sequence.takeForeign()
            // A control is carried out where it stands, and the rest is dropped.
            default: break
            }
        case .string(let kind): string(byte, kind)
        case .stringEscape(let kind):
            // ST, or a new sequence, which breaks the string off.
            if byte == UInt8(ascii: "\\") { end(kind) } else { escape(byte) }
        case .stringLead(let kind): afterLead(byte, within: kind)
        }
    }

    private mutating func string(_ byte: UInt8, _ kind: StringKind) {
        switch byte {
        case 0x07 where kind == .command: end(kind)
        case 0x18, 0x1A: state = .ground
        case 0x1B: state = .stringEscape(kind)
        case 0xC2: state = .stringLead(kind)
        default: collect(byte, kind)
        }
    }

    private mutating func collect(_ byte: UInt8, _ kind: StringKind) {
        // The Linux console's palette, which has no end there.
        if kind == .command, text.isEmpty, byte == UInt8(ascii: "P") || byte == UInt8(ascii: "R") {
            isCertain = false
        }
        if kind != .other, text.count < Self.longestText { text.append(byte) }
        state = .string(kind)
    }

    /// A string ends as it should.
    private mutating func end(_ kind: StringKind) {
        state = .ground
        switch kind {
        case .command:
            modes.titles.take(command: text)
            modes.colours.take(command: text)
        case .name: modes.titles.take(name: text)
        case .other: break
        }
    }

    private mutating func begin(_ kind: StringKind, isCertain: Bool) {
        state = .string(kind)
        self.isCertain = isCertain
        text.removeAll(keepingCapacity: true)
    }

    /// The byte after 0xC2: a C1 control, which is ESC and a character in one, or a letter.
    private mutating func afterLead(_ byte: UInt8, within kind: StringKind?) {
        switch (byte, kind) {
        case (0x9C, let kind?): end(kind)
        // To tmux and others it is a letter, or nothing.
        case (0x80..<0xA0, _): escape(byte - 0x40, isCertain: kind != nil && isCertain)
        case (_, let kind?):
            collect(0xC2, kind)
            string(byte, kind)
        case (_, nil):
            state = .ground
            if byte == 0x1B || byte == 0xC2 { take(byte) }
        }
    }

    /// - Parameter isCertain: whether every terminal takes it for a character behind ESC.
    private mutating func escape(_ byte: UInt8, isCertain: Bool = true) {
        switch byte {
        case 0x1B: state = .escape
        case 0x18, 0x1A: state = .ground
        case _ where begins(byte, isCertain: isCertain): break
        // GNU screen's name of a window.
        case UInt8(ascii: "\""): begin(.name, isCertain: false)
        case 0x20..<0x30:
            intermediate = byte
            state = .intermediate
        case 0x00..<0x20: state = .escape
        case 0x7F...:
            // tmux drops it and goes on; others give the sequence up.
            didEndFocusReports = true
            state = byte == 0xC2 ? .escapeLead : .escape
        default:
            state = .ground
            finish(escape: byte)
        }
    }

    /// A byte behind ESC and characters that name a character set and the like.
    ///
    /// GNU screen drops those where a string or a sequence begins behind them.
    private mutating func afterIntermediate(_ byte: UInt8) {
        switch byte {
        case 0x18, 0x1A: state = .ground
        case 0x1B: state = .escape
        case _ where begins(byte, isCertain: false): break
        case UInt8(ascii: "\""): begin(.name, isCertain: false)
        case 0x30..<0x7F:
            state = .ground
            finish(escape: byte, after: intermediate)
        default: break
        }
    }

    /// - Parameter isCertain: whether it does so in every terminal.
    /// - Returns: whether the character begins a CSI sequence or a string, which is then begun.
    private mutating func begins(_ byte: UInt8, isCertain: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "["):
            state = .csi
            sequence = ControlSequence()
        case UInt8(ascii: "]"): begin(.command, isCertain: isCertain)
        case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            begin(.other, isCertain: isCertain)
        // Strings of tmux and GNU screen, and of GNU screen alone.
        case UInt8(ascii: "k"): begin(.name, isCertain: false)
        case UInt8(ascii: "!"): begin(.other, isCertain: false)
        default: return false
        }
        return true
    }
}
