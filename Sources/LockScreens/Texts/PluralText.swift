/// A text with a number in it, in the plural forms of a language.
public struct PluralText: Sendable {
    private let write: @Sendable (Int) -> String

    /// Makes the text from a function, for a language whose plural forms differ from those of
    /// ``init(one:other:)``. The function must accept every number from zero on.
    public init(_ write: @escaping @Sendable (Int) -> String) { self.write = write }

    /// Makes a text with two forms.
    ///
    /// - Parameters:
    ///   - one: the form for 1; `%@` stands for the number.
    ///   - other: the form for all other numbers; `%@` stands for the number.
    public init(one: String, other: String) {
        self.init { number in (number == 1 ? one : other).filling("%@", with: "\(number)") }
    }

    /// The text for a number.
    public func callAsFunction(_ number: Int) -> String { write(number) }
}
