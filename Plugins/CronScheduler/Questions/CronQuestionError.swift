/// What is wrong with a question about an expression.
public struct CronQuestionError: Error, Sendable, Hashable {
    /// How many characters of the expression come before the mistake; `nil` when it is not in the expression.
    public private(set) var position: Int?
    /// The field of the expression, or the member or option: `tz`, `after`, `count`.
    public private(set) var field: String?
    /// What is wrong, in one sentence.
    public private(set) var reason: String
    /// What to write instead, where that is known.
    public private(set) var hint: String?

    /// A mistake outside of the expression. What is longer than 500 bytes is cut.
    public init(field: String? = nil, reason: String, hint: String? = nil) {
        self.field = field
        // A name of a zone or a time is shown in it, however long it is.
        self.reason = reason.cut(to: Self.longest)
        self.hint = hint?.cut(to: Self.longest)
    }

    /// The most bytes of a reason or a hint.
    private static let longest = 500

    /// A mistake in the expression.
    public init(_ error: CronSyntaxError) {
        position = error.position
        field = error.field?.rawValue
        reason = error.reason
        hint = error.hint
    }
}

extension String {
    /// The text, with `…` for what goes beyond so many bytes.
    package func cut(to most: Int) -> String {
        guard utf8.count > most else { return self }
        var bytes = 0
        let scalars = unicodeScalars.prefix { scalar in
            bytes += UTF8.width(scalar)
            return bytes <= most
        }
        return String(scalars) + "…"
    }
}
