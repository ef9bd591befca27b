internal import PortcullisCore
internal import TerminalScreens

/// A line that a person types unseen at a terminal, in protected memory.
///
/// Text counts in whatever encoding it comes; what a terminal sends for keys and as replies is no part of it.
struct SecretLine {
    /// How many bytes a line may have.
    static let longest = 1024
    /// How many bytes of a character may stand behind its first one.
    private static let longestRest = 3

    /// What was typed, without its end.
    private(set) var bytes = SecretBytes(copying: [])
    /// How many characters were typed that no room is left for.
    private var excess = 0
    private let keepsControls: Bool

    /// An empty line.
    ///
    /// - Parameter keepsControls: whether control characters that edit nothing are part of the line.
    init(keepsControls: Bool) { self.keepsControls = keepsControls }

    /// Whether more was typed than a line may have.
    var isTooLong: Bool { excess > 0 || bytes.count > Self.longest }

    /// Takes the next byte that a terminal sent.
    ///
    /// - Parameters:
    ///   - key: one byte.
    ///   - decoder: what the terminal sent before went through it.
    /// - Returns: whether the line is ended.
    mutating func take(_ key: SecretBytes, by decoder: inout InputDecoder) -> Bool {
        let before = decoder.pending
        var event: TerminalEvent?
        key.withBytes { span in decoder.decode(span) { found, _ in event = found } }
        let byte = key.withBytes { $0[0] }
        switch (before, decoder.pending) {
        case (.character, .sequence), (.character, .reply):
            // What looked like the beginning of a character was half of a C1 control.
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

    /// Without a terminal's marks a pasted line would end there as well.
    private mutating func takePasted(_ byte: UInt8) -> Bool {
        if byte == 0x0A || byte == 0x0D { return true }
        if keepsControls { append(byte) }
        return false
    }

    /// - Parameters:
    ///   - event: what a key is.
    ///   - control: the byte that came for it, where it was one; `nil`: a sequence.
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

    /// Adds a byte; of a line that is too long only how much it is.
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

    /// Takes the last character away, of however many bytes it is.
    mutating func remove() {
        guard excess == 0 else { return excess -= 1 }
        bytes = bytes.withBytes { old in
            var end = max(0, old.count - 1)
            while end > 0, old[end] & 0xC0 == 0x80 { end -= 1 }
            return SecretBytes(copying: old.extracting(0..<end))
        }
    }

    /// Takes all of it away.
    mutating func clear() { self = SecretLine(keepsControls: keepsControls) }
}
