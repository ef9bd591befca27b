internal import LockScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The horizontal shake after an error, in cells.
public enum Shake: Sendable {
    /// The duration of a shake.
    public static let duration = ShakeCurve.standard.duration
    /// The time between two pictures of a shake.
    public static let frame = Duration.milliseconds(40)

    /// The assumed width of a cell in points.
    private static let points = 5.0

    /// The offset in cells at a point of the shake, from 0 (its start) to 1 (its end).
    public static func cells(at progress: Double) -> Int {
        guard progress > 0, progress < 1 else { return 0 }
        let curve = ShakeCurve.standard
        let angle = 2 * Double.pi * Double(curve.swings) * progress
        return Int((curve.amplitude * sin(angle) / points).rounded())
    }
}
