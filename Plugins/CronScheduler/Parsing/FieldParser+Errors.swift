extension FieldParser {
    func failure(
        _ code: CronSyntaxError.Code,
        at place: Int,
        _ reason: String,
        _ hint: String?
    ) -> CronSyntaxError {
        CronSyntaxError(code, text, at: place, field: unit.field, reason, hint)
    }

    /// The error for an unexpected character at the current position.
    func unexpected() -> CronSyntaxError {
        let rest = String(decoding: text[place..<end], as: UTF8.self)
        let character = rest.first.map { "“\(Array(String($0).utf8)[...].shown)”" } ?? "the end"
        let reason = "\(character) cannot stand here in the \(unit.field) field"
        let isFirst = place == 0 || text[place - 1].isBlank
        let hint: String =
            switch rest.first {
            case "-": "a range is two values with - between them: 1-5"
            case "–", "—", "−": "a range is written with a plain hyphen: 1-5"
            case "*": "* stands alone or before a step: */5"
            case _ where place > 0 && text[place - 1] == .star: "* stands alone or before a step: */5"
            case "H", "h", "~": "hashed and random times are not for expressions; give the job a jitter"
            case "/": "a step follows *, a value or a range, once"
            case "W", "w": "W follows a single day of the month: 15W"
            case "L", "l": "L stands alone or after a weekday: L, 5L"
            case "#" where isFirst && unit.field != .weekday: "an expression has no comments"
            case "#": "# stands between one weekday and a number: 5#2"
            case ";": "values of a list have commas between them"
            case ":": "minutes and hours have fields of their own: half past eight is 30 8"
            case "\"", "'", "“", "”", "‘", "’", "`": "write the expression without quotation marks"
            case let letter? where unit.field == .hour && "aApP".contains(letter):
                "hours are written 0 to 23, without a.m. and p.m."
            default: unit.example
            }
        return failure(.unexpectedText, at: place, reason, hint)
    }

    /// The error for a list of years with too many items.
    func tooManyYears() -> CronSyntaxError {
        failure(
            .tooLong,
            at: place,
            "the years come to more than \(RareRules.mostYears) ranges and single years",
            "write them as few ranges and steps: 2026-2060/2"
        )
    }

    func unknownName(_ letters: ArraySlice<UInt8>) -> CronSyntaxError {
        let word = letters.shown
        if letters.count == 1 { return unexpected() }
        guard !unit.names.isEmpty else {
            return failure(.unknownName, at: place, "“\(word)” is no \(unit.field)", unit.example)
        }
        // Full names of months and weekdays, even in other languages, often begin with the three letters of an English
        // name. So the hint offers that name.
        let near = unit.value(named: letters.prefix(3)).map { unit.names[$0 - unit.first] }
        let hint = near.map { "write \(String(decoding: $0, as: UTF8.self).uppercased())" } ?? unit.example
        return failure(.unknownName, at: place, "“\(word)” is no \(unit.field)", hint)
    }
}

extension CronSyntaxError {
    /// Makes an error about the mistake at `place`, an offset in bytes in `text`.
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

extension ArraySlice<UInt8> {
    /// The text for a message, shortened to at most 32 scalars.
    ///
    /// The limit does not count characters, because one character can have kilobytes of accents.
    var shown: String {
        let text = String(decoding: self, as: UTF8.self)
        let scalars = text.unicodeScalars
        return scalars.count > 32 ? String(scalars.prefix(31)) + "…" : text
    }
}

extension UInt8 {
    static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
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
