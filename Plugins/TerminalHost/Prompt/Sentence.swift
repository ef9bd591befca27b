extension StringProtocol {
    /// The text for use within a sentence: its first letter is in lower case.
    package var withinSentence: String { prefix(1).lowercased() + dropFirst() }
}
