/// Takes GNU screen's messages out of output: what stands between ESC ^ or ESC ! and ST.
///
/// It shows one for seconds, or for as long as more of them come, and shows nothing meanwhile that is written to the
/// window, a lock screen of ours included. What is left of a message is ST, which means nothing by itself.
///
/// A message is taken out wherever it may begin, also within another string: not every terminal reads the same there.
struct MessageFilter: Sendable, Hashable {
    private enum State: Sendable, Hashable {
        case ground
        /// The first half of a C1 control, or of another character.
        case lead
        /// Behind ESC, also with characters between it and the final one.
        case escape
        case escapeLead
        case message
        case messageLead
    }

    /// More than GNU screen takes for one string: the rest of what has no end is text again.
    static let longest = 1024

    private var state = State.ground
    private var length = 0

    /// Takes output, and moves together what is left of it.
    ///
    /// - Returns: how many bytes at the beginning are left.
    mutating func filter(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        var left = 0
        for index in 0..<bytes.count {
            guard let byte = take(unsafe bytes[index]) else { continue }
            unsafe bytes[left] = byte
            left += 1
        }
        return left
    }

    /// - Returns: what goes on in its place; `nil` for nothing.
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
        // Some terminals drop these and go on.
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
            // ST, or another sequence, which is not for the message line.
            state = .escape
            return byte
        case 0x18, 0x1A: state = .ground
        case 0xC2: state = .messageLead
        default: if length == Self.longest { state = .ground }
        }
        return nil
    }
}
