/// Which of several steps a screen is at.
public struct ScreenStep: Sendable, Hashable, Codable {
    /// The step, from 1 on.
    public var number: Int
    /// How many there are.
    public var count: Int
    /// What a screen reader says of it, such as "Step 2 of 3".
    public var accessibilityValue: String

    /// A step.
    public init(_ number: Int, of count: Int, accessibilityValue: String) {
        self.number = number
        self.count = count
        self.accessibilityValue = accessibilityValue
    }
}
