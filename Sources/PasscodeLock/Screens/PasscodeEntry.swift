internal import LockScreens
internal import PortcullisCore

/// The passcode typed so far: its bytes in protected memory, and their number, which screens show.
struct PasscodeEntry: Sendable {
    let format: PasscodeFormat
    private(set) var typed = SecretBytes(copying: [])

    init(_ format: PasscodeFormat) { self.format = format }

    var count: Int { typed.count }

    /// Applies an input to the entry.
    ///
    /// - Returns: whether the entry is to be submitted.
    mutating func take(_ input: ScreenInput) -> Bool {
        switch input {
        case .digit(let digit):
            guard (0...9).contains(digit) else { return false }
            return append(UInt8(0x30 + digit))
        case .character(let character):
            guard character.isASCII, character.properties.generalCategory != .control else { return false }
            let byte = UInt8(character.value)
            guard !format.isNumeric || (0x30...0x39).contains(byte) else { return false }
            return append(byte)
        case .text(let text):
            guard text.count <= format.lengths.upperBound else { return false }
            typed = text
            return format.isFixedLength && format.violation(of: text) == nil
        case .delete:
            typed = typed.withBytes { bytes in
                SecretBytes(copying: bytes.extracting(0..<max(0, bytes.count - 1)))
            }
            return false
        case .submit, .activate(.done):
            return format.lengths.contains(count)
        case .activate, .choose, .search, .show:
            return false
        }
    }

    /// Returns the fault of an entry that this input submits.
    ///
    /// - Returns: `nil` if the entry has no fault or is empty, if the input does not submit the entry, or if
    ///   the format has a fixed length.
    func shortfall(at input: ScreenInput) -> PasscodeFormatViolation? {
        guard !format.isFixedLength, count > 0 else { return nil }
        switch input {
        case .submit, .activate(.done): return format.violation(of: typed)
        default: return nil
        }
    }

    private mutating func append(_ byte: UInt8) -> Bool {
        guard count < format.lengths.upperBound else { return false }
        typed = typed.withBytes { bytes in
            SecretBytes(capacity: bytes.count + 1) { output in
                for index in bytes.indices { output.append(bytes[index]) }
                output.append(byte)
            }
        }
        return format.isFixedLength && count == format.lengths.upperBound
    }

    mutating func clear() { typed = SecretBytes(copying: []) }

    /// The content that a screen shows for the entry.
    func content(_ strings: PasscodeStrings) -> EntryContent {
        format.isFixedLength
            ? EntryContent(
                style: .dots(count: format.lengths.upperBound),
                filled: count,
                accessibilityValue: strings.entered(count, of: format.lengths.upperBound),
                lengths: format.lengths
            )
            : EntryContent(
                style: .field(digitsOnly: format.isNumeric),
                filled: count,
                accessibilityValue: strings.entered(count),
                lengths: format.lengths
            )
    }

    /// The number pad; `nil` for formats of variable length, which have a text field.
    func pad(isEnabled: Bool, _ strings: PasscodeStrings) -> NumberPad? {
        guard format.isFixedLength else { return nil }
        return NumberPad(isEnabled: isEnabled, deleteSymbol: "delete.left", deleteLabel: strings.delete)
    }

    /// The "Done" button; `nil` for formats of fixed length, with which the last character submits the entry.
    func doneControl(isEnabled: Bool, _ strings: PasscodeStrings) -> ScreenControl? {
        guard !format.isFixedLength else { return nil }
        return ScreenControl(
            .done,
            title: strings.done,
            role: .primary,
            isEnabled: isEnabled && format.lengths.contains(count)
        )
    }
}
