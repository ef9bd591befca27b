/// The error of a question about an expression.
public struct CronQuestionError: Error, Sendable, Hashable {
    /// The number of characters of the expression before the mistake; `nil` if the mistake is outside of the
    /// expression.
    public private(set) var position: Int?
    /// The name of the place of the mistake: a field of the expression, or a member or option of the
    /// question, such as `tz`, `after` or `count`; `nil` if the mistake has no such place.
    public private(set) var field: String?
    /// The mistake, in one sentence.
    public private(set) var reason: String
    /// A suggestion of what to write instead; `nil` if there is none.
    public private(set) var hint: String?

    /// Makes an error about a mistake outside of the expression. Reason and hint are cut after 500 bytes.
    public init(field: String? = nil, reason: String, hint: String? = nil) {
        self.field = field
        // The texts can contain the name of a zone or a time. A caller may pass a name of any length, so the
        // texts are cut.
        self.reason = reason.cut(to: Self.longest)
        self.hint = hint?.cut(to: Self.longest)
    }

    /// The largest length of a reason or a hint in bytes.
    private static let longest = 500

    /// Makes an error about a mistake in the expression.
    public init(_ error: CronSyntaxError) {
        position = error.position
        field = error.field?.rawValue
        reason = error.reason
        hint = error.hint
    }
}

extension String {
    /// The text, cut after this many bytes of UTF-8, with `…` in place of the rest.
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
