/// Turns the bytes that a terminal sends into events, however the bytes are split into chunks.
///
/// The decoder keeps no typed character. It keeps only the bytes of an unfinished sequence, and nothing of a
/// paste.
///
/// An ESC may be a key or the start of a sequence, so ``pending`` is ``Pending/escape`` until more bytes
/// come. If no bytes come for the time ``patience``, the caller calls ``giveUp()``.
public struct InputDecoder: Sendable {
    /// The kind of unfinished input.
    public enum Pending: Sendable, Hashable {
        /// No input is unfinished. The next byte starts something new.
        case nothing
        /// An ESC, which may be a key or the start of a sequence.
        case escape
        /// The sequence of a key or a short report.
        case sequence
        /// A long reply (OSC, DCS and similar strings), which is dropped.
        case reply
        /// Pasted text.
        case paste
        /// A character of several bytes.
        case character
    }

    private enum State: Sendable {
        case ground
        case escape
        case csi
        case ss3
        case string(StringPart)
        /// Before the last byte of a VT52's identification, ESC / Z.
        case identification
        /// Inside an old mouse report. `left` of its three bytes are still missing.
        case oldMouse(left: Int)
        case utf8(value: UInt32, left: Int)
    }

    /// The position inside a string.
    private enum StringPart: Sendable {
        case text
        case escape
        /// Inside a character of several bytes. `left` of its bytes are still missing. These bytes do not
        /// count as C1 controls.
        case character(lead: UInt8, left: Int)
    }

    private var state = State.ground
    private var isPasting = false
    private var sequence: [UInt8] = []
    private let breaking: UInt8?

    /// Creates a decoder that has received no input yet.
    ///
    /// - Parameter breaking: a control byte that is decoded as a key everywhere except inside a paste. Inside
    ///   a reply, the byte ends the reply and is a key. Directly after ESC, and with Alt held, the byte is
    ///   decoded as if it came alone. BEL inside a reply is an exception: it is no key, because terminals end
    ///   replies with BEL.
    public init(breaking: UInt8? = nil) { self.breaking = breaking }

    /// The kind of the current unfinished input.
    public var pending: Pending {
        switch state {
        case .ground: isPasting ? .paste : .nothing
        case .escape: .escape
        case .csi, .ss3, .oldMouse, .identification: .sequence
        case .string: .reply
        case .utf8: .character
        }
    }

    /// Whether a paste has begun and not ended. A sequence inside the paste may be unfinished too; see
    /// ``pending``.
    public var isInPaste: Bool { isPasting }

    /// Whether the wait for the rest of the unfinished input is longer than for the rest of a key's sequence.
    /// It is longer for a reply, for a paste, and for each sequence inside a paste.
    private var isLong: Bool { isPasting || pending == .reply }

    /// Decodes bytes.
    ///
    /// - Parameters:
    ///   - bytes: the next bytes from the terminal.
    ///   - emit: called with each event and the number of `bytes` up to the event's end.
    public mutating func decode(_ bytes: Span<UInt8>, emit: (TerminalEvent, _ used: Int) -> Void) {
        for index in 0..<bytes.count {
            take(bytes[index]) { emit($0, index + 1) }
        }
    }

    /// Ends unfinished input, because no more bytes came. A lone ESC becomes the key Esc, and other sequences
    /// are dropped.
    ///
    /// - Returns: the event to handle now; `nil` for none. Replies and pastes stay unfinished; see
    ///   ``abandon()``.
    public mutating func flush() -> TerminalEvent? {
        switch state {
        case .escape where !isPasting:
            state = .ground
            return .key(.escape)
        case .escape, .csi, .ss3, .oldMouse, .identification, .utf8:
            state = .ground
            return isPasting ? nil : .ignored
        case .ground, .string:
            return nil
        }
    }

    /// Drops a reply or a paste whose end never came. Later bytes are decoded as keys again.
    public mutating func abandon() {
        state = .ground
        isPasting = false
    }

    /// The time to wait for the rest of unfinished input. The value is `nil` when no input is unfinished, and
    /// when the unfinished input is a character of several bytes outside of a paste.
    ///
    /// The wait for a reply is limited too, because Alt with a key can look like the start of a reply that
    /// never ends.
    public var patience: Duration? {
        if isLong { return .milliseconds(500) }
        return switch pending {
        case .nothing, .character: nil
        case .escape, .sequence, .reply, .paste: .milliseconds(40)
        }
    }

    /// Ends unfinished input after ``patience`` has passed without more bytes.
    ///
    /// - Returns: the event to handle now; `nil` for none.
    public mutating func giveUp() -> TerminalEvent? {
        guard isLong else { return flush() }
        abandon()
        return nil
    }

    private mutating func take(_ byte: UInt8, _ emit: (TerminalEvent) -> Void) {
        switch state {
        case .ground: ground(byte, emit)
        case .escape: escape(byte, emit)
        case .csi: csi(byte, emit)
        case .ss3, .oldMouse, .identification:
            // None of these sequences contains a control byte. So a control byte breaks the sequence off.
            guard byte >= 0x20 else {
                state = .ground
                emit(.ignored)
                return ground(byte, emit)
            }
            afterIntroducer(byte, emit)
        case .string(let part): string(byte, part, emit)
        case .utf8(let value, let left): utf8(byte, value, left, emit)
        }
    }

    /// Handles the next byte of an SS3 sequence, of an identification or of an old mouse report.
    private mutating func afterIntroducer(_ byte: UInt8, _ emit: (TerminalEvent) -> Void) {
        if case .oldMouse(let left) = state, left > 1 {
            state = .oldMouse(left: left - 1)
            return
        }
        var event = TerminalEvent.ignored
        if case .ss3 = state { event = KeySequences.ss3(byte) }
        state = .ground
        emitOutsidePaste(event, emit)
    }

    private func emitOutsidePaste(_ event: TerminalEvent, _ emit: (TerminalEvent) -> Void) {
        emit(isPasting ? .ignored : event)
    }

    private mutating func ground(_ byte: UInt8, _ emit: (TerminalEvent) -> Void) {
        switch byte {
        case 0x1B:
            state = .escape
        case 0x20..<0x7F:
            character(Unicode.Scalar(byte), emit)
        case 0x7F, 0x00..<0x20:
            emitOutsidePaste(KeySequences.control(byte), emit)
        case 0xC2..<0xE0: state = .utf8(value: UInt32(byte & 0x1F), left: 1)
        case 0xE0..<0xF0: state = .utf8(value: UInt32(byte & 0x0F), left: 2)
        case 0xF0..<0xF5: state = .utf8(value: UInt32(byte & 0x07), left: 3)
        case 0x80..<0xA0: c1(byte, emit)
        default: emit(.ignored)
        }
    }

    /// Handles a C1 control. Terminals send C1 controls when eight-bit replies are on (S8C1T).
    private mutating func c1(_ byte: UInt8, _ emit: (TerminalEvent) -> Void) {
        if !begins(byte - 0x40) {
            state = .ground
            emit(.ignored)
        }
    }

    private func character(_ scalar: Unicode.Scalar, _ emit: (TerminalEvent) -> Void) {
        emit(isPasting ? .pasted(scalar) : .character(scalar))
    }

    private mutating func utf8(
        _ byte: UInt8,
        _ value: UInt32,
        _ left: Int,
        _ emit: (TerminalEvent) -> Void
    ) {
        guard byte & 0xC0 == 0x80 else {
            // The bytes are not UTF-8. The earlier bytes are dropped, and this byte is handled by itself.
            state = .ground
            emit(.ignored)
            return ground(byte, emit)
        }
        let value = value << 6 | UInt32(byte & 0x3F)
        guard left == 1 else {
            state = .utf8(value: value, left: left - 1)
            return
        }
        state = .ground
        if (0x80..<0xA0).contains(value) { return c1(UInt8(value), emit) }
        guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .control else {
            return emit(.ignored)
        }
        character(scalar, emit)
    }

    private mutating func escape(_ byte: UInt8, _ emit: (TerminalEvent) -> Void) {
        switch byte {
        case _ where begins(byte): break
        case UInt8(ascii: "/"):
            state = .identification
        case 0x1B:
            // The first ESC was the key Esc, and the second ESC may start a sequence.
            emitOutsidePaste(.key(.escape), emit)
        case 0x80..<0xA0: c1(byte, emit)
        case breaking:
            state = .ground
            ground(byte, emit)
        default:
            // ESC and this byte are a key with Alt, or a reply of two bytes.
            state = .ground
            emit(.ignored)
        }
    }

    /// Begins a sequence or a string, if this byte after ESC is the start of one. Returns `false` if it is
    /// not.
    private mutating func begins(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["):
            state = .csi
            sequence.removeAll(keepingCapacity: true)
        case UInt8(ascii: "O"):
            state = .ss3
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(.text)
        default: return false
        }
        return true
    }

    private mutating func csi(_ byte: UInt8, _ emit: (TerminalEvent) -> Void) {
        switch byte {
        case 0x20..<0x40:
            sequence.append(byte)
            // A sequence with more than 64 bytes is neither a key nor a report. Its bytes so far are dropped.
            guard sequence.count <= 64 else {
                state = .ground
                return emit(.ignored)
            }
        case UInt8(ascii: "M") where sequence.isEmpty:
            state = .oldMouse(left: 3)
        case 0x40..<0x7F:
            state = .ground
            finishCSI(final: byte, emit)
        default:
            // A control byte, a new ESC or a byte above ASCII breaks the sequence off.
            state = .ground
            emit(.ignored)
            ground(byte, emit)
        }
    }

    private mutating func finishCSI(final: UInt8, _ emit: (TerminalEvent) -> Void) {
        if final == UInt8(ascii: "~") {
            if sequence.elementsEqual("200".utf8) {
                isPasting = true
                return emit(.ignored)
            }
            if sequence.elementsEqual("201".utf8) {
                isPasting = false
                return emit(.ignored)
            }
        }
        let event = KeySequences.csi(sequence, final, breaking: breaking)
        // With the kitty protocol a typed digit comes as a CSI sequence. The digit may belong to a passcode,
        // so the kept bytes are erased.
        for index in sequence.indices { sequence[index] = 0 }
        emitOutsidePaste(event, emit)
    }

    private mutating func string(_ byte: UInt8, _ part: StringPart, _ emit: (TerminalEvent) -> Void) {
        switch (byte, part) {
        case (breaking, _) where byte != 0x07:
            state = .ground
            ground(byte, emit)
        case (0x07, _), (0x18, _), (0x1A, _), (UInt8(ascii: "\\"), .escape):
            state = .ground
            emit(.ignored)
        case (0x1B, _):
            state = .string(.escape)
        case (_, .escape):
            // The ESC was not the beginning of ST, so it begins a new sequence, and the string has no end.
            // The string's bytes count as the beginning of the next event.
            state = .escape
            escape(byte, emit)
        case (0x80..<0xC0, .character(let lead, let left)):
            // The bytes C2 9C are ST in UTF-8, which ends the string.
            guard lead != 0xC2 || byte != 0x9C else {
                state = .ground
                return emit(.ignored)
            }
            state = .string(left > 1 ? .character(lead: lead, left: left - 1) : .text)
        case (0x9C, _):
            state = .ground
            emit(.ignored)
        case (0xC2..<0xE0, _): state = .string(.character(lead: byte, left: 1))
        case (0xE0..<0xF0, _): state = .string(.character(lead: byte, left: 2))
        case (0xF0..<0xF5, _): state = .string(.character(lead: byte, left: 3))
        default:
            state = .string(.text)
        }
    }
}
