extension StringProtocol {
    /// The text as it stands within a sentence: with a small first letter.
    var withinSentence: String { prefix(1).lowercased() + dropFirst() }
}
