#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Follows a program's output, to record the modes and titles that the program sets.
///
/// The tracker reads as terminals do: a control character inside a sequence takes effect and does not end the
/// sequence, and numbers may have any length. Terminals differ in what begins and ends a control string
/// (``StringKind``), so the tracker also applies a sequence inside such a string. If a sequence switches
/// focus reports off in only some terminals, the tracker assumes that the reports are off.
struct ModeTracker: Sendable {
    /// The kind of a string.
    enum StringKind: Sendable, Hashable {
        /// An OSC string. ST or BEL ends it.
        case command
        /// The name of a window, in a string that begins with ESC k.
        case name
        /// A DCS, APC, PM or SOS string, or a string of GNU screen that begins with ESC !. ST ends it.
        case other
    }

    private enum State: Sendable, Hashable {
        case ground
        /// The last byte was 0xC2, the first byte of a C1 control or of another two-byte character.
        case lead
        case escape
        /// The last bytes were ESC and 0xC2, the first byte of a C1 control.
        case escapeLead
        /// ESC and intermediate characters have come, and the final character has not come yet. The
        /// intermediate characters select a character set, for example.
        case intermediate
        case csi
        case string(StringKind)
        case stringEscape(StringKind)
        case stringLead(StringKind)
    }

    /// The modes that the program has set.
    var modes = ProgramModes()
    /// Whether the program may have switched the terminal's focus reports off since this flag was last reset.
    /// ``OutputPump`` resets the flag.
    var didEndFocusReports = false
    private var state = State.ground
    private var sequence = ControlSequence()
    /// The first intermediate character after ESC.
    private var intermediate: UInt8 = 0
    /// The greatest number of bytes that are kept of a string. It suffices for an OSC string that sets all
    /// colours of a palette.
    private static let longestText = 8192
    private var text: [UInt8] = []
    /// Whether every terminal reads the current bytes as a string.
    private var isCertain = true

    /// Whether the output is between two sequences. Other sequences can be inserted only there.
    var isBetweenSequences: Bool { state == .ground }

    /// Notes that the unfinished sequence was broken off on the terminal.
    ///
    /// - Returns: whether the next output is the rest of that sequence and must not appear. If only some
    ///   terminals read the bytes as a string, the result is `false`. For the other terminals the rest is
    ///   ordinary text, so the end of the string might never come.
    mutating func breakOff() -> Bool {
        switch state {
        case .string, .stringLead: if !isCertain { state = .ground }
        default: break
        }
        return state != .ground
    }

    /// Reads the rest of a sequence whose beginning was in earlier output.
    ///
    /// - Parameter isLate: whether the sequence is a string that has become so long that it may have no end.
    ///   If so, a line end ends the string.
    /// - Returns: the number of bytes that belong to that sequence.
    mutating func skipSequence(_ bytes: UnsafeRawBufferPointer, isLate: Bool) -> Int {
        var index = 0
        while index < bytes.count, state != .ground {
            if case .string = state, unsafe bytes[index] == 0x1B,
                unsafe index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\\")
            {
                // This ESC begins another sequence and thereby ends the string. If the ESC is the last byte
                // so far, a `\` may follow, which makes an ST of both. In that case the string has ended too
                // early, but an ST outside of a string has no effect.
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

    /// Reads output, and applies its sequences to the modes.
    ///
    /// - Returns: the number of bytes before the unfinished sequence at the end. The caller may hold the rest
    ///   back for a short time.
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

    /// Returns the index of the next byte that may begin a sequence: ESC, or the first byte of a C1 control
    /// in UTF-8. The tracker spends most of its time in this search.
    private static func introducer(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let escape = unsafe memchr(base + index, 0x1B, bytes.count - index)
        let end = unsafe escape.map { unsafe base.distance(to: UnsafeRawPointer($0)) }
        var next = index
        while next < end ?? bytes.count {
            guard let lead = unsafe memchr(base + next, 0xC2, (end ?? bytes.count) - next) else { return end }
            let place = unsafe base.distance(to: UnsafeRawPointer(lead))
            // After 0xC2, only a byte from 0x80 to 0x9F makes a C1 control. If the next byte has not come
            // yet, it may be one of these.
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
            // These are the other control characters, which a terminal obeys at once, and DEL, which it drops.
            // The sequence goes on unchanged in both cases.
            default: break
            }
        case .string(let kind): string(byte, kind)
        case .stringEscape(let kind):
            // This byte completes an ST, or it begins a new sequence, which breaks the string off.
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
        // On the Linux console, OSC P and OSC R change the palette and have no end, so the console does not
        // read a string here.
        if kind == .command, text.isEmpty, byte == UInt8(ascii: "P") || byte == UInt8(ascii: "R") {
            isCertain = false
        }
        if kind != .other, text.count < Self.longestText { text.append(byte) }
        state = .string(kind)
    }

    /// Applies a string that was ended by ST or BEL.
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

    /// Handles the byte after 0xC2. The two bytes are either a letter or a C1 control. A C1 control stands
    /// for ESC and a character.
    private mutating func afterLead(_ byte: UInt8, within kind: StringKind?) {
        switch (byte, kind) {
        case (0x9C, let kind?): end(kind)
        // tmux and other terminals read these C1 controls as letters or ignore them. So a string that begins
        // with such a control is uncertain. If the control is inside another string, the new string is as
        // certain as the other one.
        case (0x80..<0xA0, _): escape(byte - 0x40, isCertain: kind != nil && isCertain)
        case (_, let kind?):
            collect(0xC2, kind)
            string(byte, kind)
        case (_, nil):
            state = .ground
            if byte == 0x1B || byte == 0xC2 { take(byte) }
        }
    }

    /// Handles the byte after ESC. `isCertain`: whether every terminal reads the byte as a character after
    /// ESC.
    private mutating func escape(_ byte: UInt8, isCertain: Bool = true) {
        switch byte {
        case 0x1B: state = .escape
        case 0x18, 0x1A: state = .ground
        case _ where begins(byte, isCertain: isCertain): break
        // In GNU screen this character begins the name of a window.
        case UInt8(ascii: "\""): begin(.name, isCertain: false)
        case 0x20..<0x30:
            intermediate = byte
            state = .intermediate
        case 0x00..<0x20: state = .escape
        case 0x7F...:
            // tmux drops this byte and continues the sequence. Other terminals end the sequence. So the
            // meaning of the next bytes is unclear, and focus reports may have been switched off.
            didEndFocusReports = true
            state = byte == 0xC2 ? .escapeLead : .escape
        default:
            state = .ground
            finish(escape: byte)
        }
    }

    /// Handles a byte after ESC and intermediate characters.
    ///
    /// GNU screen drops the intermediate characters if a string or a sequence begins after them.
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

    /// Begins a CSI sequence or a string if the character after ESC begins one, and returns whether it does.
    /// `isCertain`: whether the character begins a string in every terminal.
    private mutating func begins(_ byte: UInt8, isCertain: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "["):
            state = .csi
            sequence = ControlSequence()
        case UInt8(ascii: "]"): begin(.command, isCertain: isCertain)
        case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            begin(.other, isCertain: isCertain)
        // `k` begins a string in tmux and GNU screen, and `!` only in GNU screen.
        case UInt8(ascii: "k"): begin(.name, isCertain: false)
        case UInt8(ascii: "!"): begin(.other, isCertain: false)
        default: return false
        }
        return true
    }
}
