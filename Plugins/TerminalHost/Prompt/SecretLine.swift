internal import PortcullisCore
internal import TerminalScreens

/// A line in protected memory that a person types without seeing it.
///
/// The text may be in any encoding. The terminal's sequences for keys and its replies are no part of the
/// line.
struct SecretLine {
    /// The limit of a line, in bytes.
    static let longest = 1024
    /// The largest number of bytes that follow the first byte of a UTF-8 character.
    private static let longestRest = 3

    /// The typed bytes, without the line's end.
    private(set) var bytes = SecretBytes(copying: [])
    /// The number of typed characters beyond the limit.
    private var excess = 0
    private let keepsControls: Bool

    /// Creates an empty line.
    ///
    /// - Parameter keepsControls: whether control characters without an editing function are part of the
    ///   line.
    init(keepsControls: Bool) { self.keepsControls = keepsControls }

    /// Whether the line exceeds the limit.
    var isTooLong: Bool { excess > 0 || bytes.count > Self.longest }

    /// Handles the next byte from the terminal.
    ///
    /// - Parameters:
    ///   - key: one byte.
    ///   - decoder: the decoder that has read all earlier bytes of the terminal.
    ///   - note: called with the event that the byte completes.
    /// - Returns: whether the line has ended.
    mutating func take(
        _ key: SecretBytes,
        by decoder: inout InputDecoder,
        _ note: (TerminalEvent) -> Void = { _ in }
    ) -> Bool {
        let before = decoder.pending
        var event: TerminalEvent?
        key.withBytes { span in decoder.decode(span) { found, _ in event = found } }
        if let event { note(event) }
        let byte = key.withBytes { $0[0] }
        switch (before, decoder.pending) {
        case (.character, .sequence), (.character, .reply):
            // If `byte` is the second byte of a C1 control, the control's first byte is in the line already,
            // and is removed.
            if byte & 0xC0 == 0x80 { remove() }
            return false
        case (.escape, .nothing), (.sequence, .nothing), (.reply, .nothing):
            return obey(event)
        case (_, .escape), (_, .sequence), (_, .reply):
            return false
        case (_, .character):
            append(byte)
            return false
        case (.paste, _) where byte < 0x20:
            return takePasted(byte)
        case (.escape, .paste), (.sequence, .paste), (.reply, .paste):
            return false
        case (_, .nothing), (_, .paste):
            if byte >= 0x20, byte != 0x7F {
                append(byte)
                return false
            }
            return obey(event, control: byte)
        }
    }

    /// Handles a control byte of a pasted text, and returns whether the line has ended.
    ///
    /// A line end in the text ends the line, as in a terminal that does not mark pasted text.
    private mutating func takePasted(_ byte: UInt8) -> Bool {
        if byte == 0x0A || byte == 0x0D { return true }
        if keepsControls { append(byte) }
        return false
    }

    /// Applies a key to the line, and returns whether the line has ended. `control` is the control byte that
    /// the key sent; `nil` for a sequence.
    private mutating func obey(_ event: TerminalEvent?, control: UInt8? = nil) -> Bool {
        switch event {
        case .key(.enter), .control("d"): return true
        case .key(.delete): remove()
        case .control("u"): clear()
        case .character(let scalar):
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
        default:
            if keepsControls, let control { append(control) }
        }
        return false
    }

    /// Adds a byte. Beyond the limit, the byte is not kept, and only the number of characters is counted.
    mutating func append(_ byte: UInt8) {
        let isRest = byte & 0xC0 == 0x80
        guard excess == 0, bytes.count < Self.longest + (isRest ? Self.longestRest : 0) else {
            if !isRest || excess == 0 { excess += 1 }
            return
        }
        bytes = bytes.withBytes { old in
            SecretBytes(capacity: old.count + 1) { output in
                for index in 0..<old.count { output.append(old[index]) }
                output.append(byte)
            }
        }
    }

    /// Removes the last character with all its bytes.
    mutating func remove() {
        guard excess == 0 else { return excess -= 1 }
        bytes = bytes.withBytes { old in
            var end = max(0, old.count - 1)
            while end > 0, old[end] & 0xC0 == 0x80 { end -= 1 }
            return SecretBytes(copying: old.extracting(0..<end))
        }
    }

    /// Removes all typed bytes.
    mutating func clear() { self = SecretLine(keepsControls: keepsControls) }
}
