extension String {
    /// The text with the first occurrence of a placeholder replaced. Placeholders inside the value stay.
    package func filling(_ placeholder: String, with value: String) -> String {
        guard let range = firstRange(of: placeholder) else { return self }
        return String(self[..<range.lowerBound]) + value + String(self[range.upperBound...])
    }
}
