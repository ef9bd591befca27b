internal import LockScreens
internal import PortcullisCore

/// The recovery passphrase typed so far, as UTF-8 in protected memory.
struct PassphraseEntry: Sendable {
    /// The largest number of bytes that a sealer accepts.
    static let limit = 1024

    /// The result of an input.
    enum Step: Sendable {
        /// The entry accepts more input.
        case open
        /// The entry is to be submitted.
        case complete
        /// The input would make the entry longer than its limit. The entry stays as it was.
        case tooLong
    }

    private(set) var typed = SecretBytes(copying: [])

    /// The number of characters (Unicode scalars). It is the number of bytes that are not UTF-8 continuation
    /// bytes.
    var count: Int {
        typed.withBytes { bytes in
            var count = 0
            for index in bytes.indices where !Self.continues(bytes[index]) { count += 1 }
            return count
        }
    }

    /// Applies an input to the entry.
    mutating func take(_ input: ScreenInput) -> Step {
        switch input {
        case .digit(let digit):
            if (0...9).contains(digit), let scalar = Unicode.Scalar(0x30 + UInt32(digit)) {
                return append(scalar)
            }
        case .character(let scalar):
            if scalar.properties.generalCategory != .control { return append(scalar) }
        case .text(let text):
            guard text.count <= Self.limit else { return .tooLong }
            typed = text
        case .delete:
            typed = typed.withBytes { bytes in
                var end = max(0, bytes.count - 1)
                while end > 0, Self.continues(bytes[end]) { end -= 1 }
                return SecretBytes(copying: bytes.extracting(0..<end))
            }
        case .submit, .activate(.done):
            if typed.count > 0 { return .complete }
        case .activate, .choose, .search, .show:
            break
        }
        return .open
    }

    mutating func clear() { typed = SecretBytes(copying: []) }

    private static func continues(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private mutating func append(_ scalar: Unicode.Scalar) -> Step {
        guard let encoded = UTF8.encode(scalar) else { return .open }
        guard typed.count + encoded.count <= Self.limit else { return .tooLong }
        typed = typed.withBytes { bytes in
            SecretBytes(capacity: bytes.count + encoded.count) { output in
                for index in bytes.indices { output.append(bytes[index]) }
                for byte in encoded { output.append(byte) }
            }
        }
        return .open
    }

    /// The content that a screen shows for the entry.
    func content(_ strings: PasscodeStrings) -> EntryContent {
        EntryContent(
            style: .field(digitsOnly: false),
            filled: count,
            accessibilityValue: strings.entered(count)
        )
    }

    /// The button that submits the passphrase.
    func doneControl(_ strings: PasscodeStrings) -> ScreenControl {
        ScreenControl(.done, title: strings.done, role: .primary, isEnabled: typed.count > 0)
    }
}
