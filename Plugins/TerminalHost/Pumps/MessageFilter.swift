/// Removes GNU screen's messages from output: the text between ESC ^ or ESC ! and ST.
///
/// While GNU screen shows a message, it shows no other output, not even the lock screen. That lasts for
/// seconds, and longer if more messages follow. So the filter removes messages. In place of a message's start
/// the filter writes an ST, which ends any string that is still open. The message's own ST may be passed on,
/// because an ST outside of a string has no effect.
///
/// A message is removed wherever it may begin, also within another string, because terminals read strings
/// differently.
struct MessageFilter: Sendable, Hashable {
    private enum State: Sendable, Hashable {
        case ground
        /// The last byte was 0xC2, the first byte of a C1 control or of another two-byte character.
        case lead
        /// The last bytes were ESC, or ESC and intermediate characters.
        case escape
        case escapeLead
        case message
        case messageLead
    }

    /// The limit of a message in bytes, greater than GNU screen's own limit. A longer message may have no
    /// end, so the bytes beyond the limit count as text again.
    static let longest = 1024

    private var state = State.ground
    private var length = 0

    /// Filters output in place. The remaining bytes are moved to the beginning.
    ///
    /// - Returns: the number of remaining bytes.
    mutating func filter(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        var left = 0
        for index in 0..<bytes.count {
            guard let byte = take(unsafe bytes[index]) else { continue }
            unsafe bytes[left] = byte
            left += 1
        }
        return left
    }

    /// Filters a byte. Returns the byte that remains in its place; `nil` if the byte is removed.
    private mutating func take(_ byte: UInt8) -> UInt8? {
        switch (state, byte) {
        case (.message, _): return message(byte)
        case (.messageLead, 0x9C):
            state = .ground
            return nil
        case (.messageLead, _):
            state = .message
            return message(byte)
        case (_, 0x1B): state = .escape
        case (.lead, 0x9E), (.escapeLead, 0x9E): return begin(0x9C)
        case (.ground, _), (.lead, _): state = byte == 0xC2 ? .lead : .ground
        case (.escape, _), (.escapeLead, _): return escape(byte)
        }
        return byte
    }

    private mutating func escape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "^"), UInt8(ascii: "!"): return begin(UInt8(ascii: "\\"))
        case 0x18, 0x1A: state = .ground
        // The next two cases continue the sequence. Intermediate characters (0x20 to 0x2F) belong to it.
        // Control characters and bytes from 0x7F do not, but some terminals drop them and read on.
        case 0x00..<0x30: state = .escape
        case 0x7F...: state = byte == 0xC2 ? .escapeLead : .escape
        default: state = .ground
        }
        return byte
    }

    private mutating func begin(_ replacement: UInt8) -> UInt8 {
        state = .message
        length = 0
        return replacement
    }

    private mutating func message(_ byte: UInt8) -> UInt8? {
        length += 1
        switch byte {
        case 0x1B:
            // This ESC begins an ST or another sequence, and is no part of the message.
            state = .escape
            return byte
        case 0x18, 0x1A: state = .ground
        case 0xC2: state = .messageLead
        default: if length == Self.longest { state = .ground }
        }
        return nil
    }
}
