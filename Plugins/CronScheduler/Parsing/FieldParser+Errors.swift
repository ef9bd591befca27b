extension FieldParser {
    func failure(
        _ code: CronSyntaxError.Code,
        at place: Int,
        _ reason: String,
        _ hint: String?
    ) -> CronSyntaxError {
        CronSyntaxError(code, text, at: place, field: unit.field, reason, hint)
    }

    /// An error about the character at the present place.
    func unexpected() -> CronSyntaxError {
        let rest = String(decoding: text[place..<end], as: UTF8.self)
        let character = rest.first.map { "“\($0)”" } ?? "the end"
        let reason = "\(character) cannot stand here in the \(unit.field) field"
        let hint: String =
            switch rest.first {
            case "-" where place > 0 && text[place - 1] == .comma:
                "a range is two values with - between them: 1-5"
            case "H", "h": "a hashed time is not cron's; give the job a jitter instead"
            case "/": "a step follows *, a value or a range, once"
            case "W", "w": "W follows a day of the month: 15W"
            case "L", "l": "L stands alone or after a weekday: L, 5L"
            case ";": "values of a list have commas between them"
            default: unit.example
            }
        return failure(.unexpectedText, at: place, reason, hint)
    }

    func unknownName(_ letters: ArraySlice<UInt8>) -> CronSyntaxError {
        let word = String(decoding: letters, as: UTF8.self)
        if letters.count == 1 { return unexpected() }
        guard !unit.names.isEmpty else {
            return failure(.unknownName, at: place, "“\(word)” is no \(unit.field)", unit.example)
        }
        // Long and foreign names mostly begin as the short ones do.
        let near = unit.value(named: letters.prefix(3)).map { unit.names[$0 - unit.first] }
        let hint = near.map { "write \(String(decoding: $0, as: UTF8.self).uppercased())" } ?? unit.example
        return failure(.unknownName, at: place, "“\(word)” is no \(unit.field)", hint)
    }
}

extension CronSyntaxError {
    /// An error at a byte of the text.
    init(
        _ code: Code,
        _ text: [UInt8],
        at place: Int,
        field: CronField?,
        _ reason: String,
        _ hint: String?
    ) {
        let before = String(decoding: text[..<place], as: UTF8.self)
        self.init(code: code, position: before.count, field: field, reason: reason, hint: hint)
    }
}

extension UInt8 {
    static let star = UInt8(ascii: "*")
    static let questionMark = UInt8(ascii: "?")
    static let comma = UInt8(ascii: ",")
    static let hyphen = UInt8(ascii: "-")
    static let slash = UInt8(ascii: "/")
    static let hash = UInt8(ascii: "#")
    static let at = UInt8(ascii: "@")
    static let equals = UInt8(ascii: "=")
    static let zero = UInt8(ascii: "0")
    static let smallL = UInt8(ascii: "l")
    static let smallW = UInt8(ascii: "w")

    var isDigit: Bool { self >= .zero && self <= UInt8(ascii: "9") }
    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
