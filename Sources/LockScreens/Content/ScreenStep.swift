/// The position of a screen among several steps.
public struct ScreenStep: Sendable, Hashable, Codable {
    /// The step, from 1 on.
    public var number: Int
    /// The number of steps.
    public var count: Int
    /// The text with which a screen reader announces the step, such as "Step 2 of 3".
    public var accessibilityValue: String

    /// Makes a step.
    public init(_ number: Int, of count: Int, accessibilityValue: String) {
        self.number = number
        self.count = count
        self.accessibilityValue = accessibilityValue
    }
}
