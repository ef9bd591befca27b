public import LockScreens
internal import PortcullisCore

/// The form that a page posts: the person's inputs, and the page that they belong to.
///
/// A page posts in the same format with and without a script: the fields of a form in
/// `application/x-www-form-urlencoded`, in order. A typed text is decoded from the body directly into
/// protected memory. The name of a control is percent-encoded on the page. So the name is encoded twice in
/// the body.
public struct WebForm: Sendable {
    /// The reason why a body is not a valid post.
    public enum Fault: Error, Sendable, Hashable {
        /// The body is longer than ``WebForm/maximumSize``, has more fields than ``WebForm/maximumFields``,
        /// or a field is too long.
        case tooLarge
        /// A field has no `=`, is wrongly encoded, has an impossible value, or has an unknown name.
        case malformed
    }

    /// The largest size of a body in bytes.
    public static let maximumSize = 16 * 1024
    /// The largest size of a typed text in bytes.
    static let maximumText = 1024
    /// The largest size in bytes of any value that is no typed text, such as the name of a control.
    private static let maximumValue = 2048
    /// The largest number of fields in a body.
    public static let maximumFields = 64

    /// The ``WebPage/id`` of the page; empty if the post has none.
    public private(set) var page = ""
    /// The running number of the post; 0 for a heartbeat. The first post of a page's inputs has the number
    /// ``WebPage/count``, and each later post of inputs has a higher number.
    public private(set) var count = 0
    /// The newest revision of the screen that the page has received.
    public private(set) var since = 0
    /// The name of the browser's tab; empty without a script.
    public private(set) var tab = ""
    /// The path to which the browser goes when the screen has ended. It is `nil` with a script, because the
    /// script handles the answer itself.
    public private(set) var next: String?
    /// Whether the page can be seen. A page's script reports this in heartbeats, which are posts at regular
    /// intervals.
    public private(set) var isVisible = false
    /// Whether the person did something since the previous heartbeat.
    public private(set) var isActive = false
    /// Whether the browser can use passkeys on this page; `nil` if the post does not contain this field.
    public private(set) var hasPasskeys: Bool?
    /// The person's inputs, in order.
    public private(set) var inputs: [ScreenInput] = []

    /// Reads a body.
    ///
    /// - Parameter body: the bytes of the body.
    /// - Throws: ``Fault`` if the body is not a valid post.
    public init(_ body: some Collection<UInt8>) throws(Fault) {
        guard body.count <= Self.maximumSize else { throw .tooLarge }
        let fields = body.split(separator: UInt8(ascii: "&"))
        guard fields.count <= Self.maximumFields else { throw .tooLarge }
        for field in fields {
            let parts = field.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2 else { throw .malformed }
            let name = try Self.text(parts[0], limit: 16)
            if name == "text" {
                try takeSecret(parts[1])
            } else {
                // Each byte of a control's name has up to three characters on the page, such as `%C3`. After the
                // name, `choose` has a blank and a number.
                let isEncoded = name == "activate" || name == "choose"
                let limit = isEncoded ? 3 * Self.maximumValue + 10 : Self.maximumValue
                try take(name, try Self.text(parts[1], limit: limit))
            }
        }
        if next != nil { inputs = Self.inEntryOrder(inputs) }
    }

    /// Puts typed texts before the button that was pressed. A browser without a script posts the fields in
    /// the order of the page, and the button of the Return key precedes the fields for text.
    private static func inEntryOrder(_ inputs: [ScreenInput]) -> [ScreenInput] {
        let isText = { (input: ScreenInput) in if case .text = input { true } else { false } }
        return inputs.filter(isText) + inputs.filter { !isText($0) }
    }

    private mutating func takeSecret(_ value: some Collection<UInt8>) throws(Fault) {
        // An empty text is no input, because browsers also post an untouched field as an empty text. If the
        // person empties the field for a code, the page's script posts one blank instead.
        guard !value.isEmpty else { return }
        // Each byte of the text has up to three characters in the body, such as `%C3`.
        guard value.count <= 3 * Self.maximumText else { throw .tooLarge }
        var fault: Fault?
        let secret = SecretBytes(capacity: value.count) { output in
            do throws(Fault) {
                try Self.decode(value) { output.append($0) }
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        guard secret.count <= Self.maximumText else { throw .tooLarge }
        let isBlank = secret.withBytes { $0.count == 1 && $0[0] == UInt8(ascii: " ") }
        inputs.append(.text(isBlank ? SecretBytes(copying: []) : secret))
    }

    private mutating func take(_ name: String, _ value: String) throws(Fault) {
        switch name {
        case "page": page = value
        case "tab": tab = String(value.prefix(32))
        case "next": next = value
        case "count": count = try Self.number(value)
        case "since": since = try Self.number(value)
        case "isVisible": isVisible = value == "1"
        case "isActive": isActive = value == "1"
        case "hasPasskeys": hasPasskeys = value == "1"
        case "digit":
            guard let digit = value.wholeDigit else { throw .malformed }
            inputs.append(.digit(digit))
        case "delete": inputs.append(.delete)
        case "submit": inputs.append(.submit)
        case "activate": inputs.append(.activate(try Self.control(value)))
        case "choose":
            guard let blank = value.lastIndex(of: " ") else { throw .malformed }
            let index = try Self.number(String(value[value.index(after: blank)...]))
            inputs.append(.choose(try Self.control(value[..<blank]), index))
        case "search": inputs.append(.search(value))
        case "show": inputs.append(.show(try Self.number(value)))
        default: throw .malformed
        }
    }

    // MARK: Decoding

    private static func number(_ text: String) throws(Fault) -> Int {
        guard text.utf8.count <= 9, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text)
        else { throw .malformed }
        return number
    }

    private static func control(_ value: some StringProtocol) throws(Fault) -> ControlID {
        ControlID(try text(value.utf8, limit: maximumValue))
    }

    private static func text(_ value: some Collection<UInt8>, limit: Int) throws(Fault) -> String {
        guard value.count <= 3 * limit else { throw .tooLarge }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count)
        try decode(value) { bytes.append($0) }
        guard bytes.count <= limit else { throw .tooLarge }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    private static func decode(
        _ value: some Collection<UInt8>,
        _ put: (UInt8) -> Void
    ) throws(Fault) {
        var rest = value.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): put(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal)
                else { throw .malformed }
                put(high << 4 | low)
            default: put(byte)
            }
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

extension String {
    /// The value of a text that is one ASCII digit; `nil` for every other text.
    fileprivate var wholeDigit: Int? {
        guard utf8.count == 1, let byte = utf8.first, (0x30...0x39).contains(byte) else { return nil }
        return Int(byte) - 0x30
    }
}
