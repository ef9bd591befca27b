/// A text about a number, in as many forms as a language has.
public struct PluralText: Sendable {
    private let write: @Sendable (Int) -> String

    /// A text that a function writes, for languages with forms of their own; it gets any number from zero on.
    public init(_ write: @escaping @Sendable (Int) -> String) { self.write = write }

    /// A text with two forms.
    ///
    /// - Parameters:
    ///   - one: for 1; `%@` stands for the number.
    ///   - other: for all other numbers; `%@` stands for the number.
    public init(one: String, other: String) {
        self.init { number in (number == 1 ? one : other).filling("%@", with: "\(number)") }
    }

    /// The text about a number.
    public func callAsFunction(_ number: Int) -> String { write(number) }
}
