/// The movement of an entry to the sides after an error. The offset is amplitude · sin(2π · swings · t), for
/// t from 0 (the start) to 1 (the end).
public struct ShakeCurve: Sendable, Hashable, Codable {
    /// The curve of all screens: 10 points to each side, once, within 400 ms.
    public static let standard = ShakeCurve(amplitude: 10, swings: 1, duration: .milliseconds(400))

    /// The distance that the entry moves to each side, in points.
    public var amplitude: Double
    /// The number of full movements: to one side, to the other side, and back.
    public var swings: Int
    /// The time that the whole movement takes.
    public var duration: Duration

    /// Makes a curve.
    public init(amplitude: Double, swings: Int, duration: Duration) {
        self.amplitude = amplitude
        self.swings = swings
        self.duration = duration
    }
}
