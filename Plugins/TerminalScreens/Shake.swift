internal import LockScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The shake after an error, in cells.
public enum Shake: Sendable {
    /// How long it takes.
    public static let duration = ShakeCurve.standard.duration
    /// How long each picture of it stands.
    public static let frame = Duration.milliseconds(40)

    /// Points that a cell is taken to be wide.
    private static let points = 5.0

    /// The offset in cells at a time from 0 to 1.
    public static func cells(at progress: Double) -> Int {
        guard progress > 0, progress < 1 else { return 0 }
        let curve = ShakeCurve.standard
        let angle = 2 * Double.pi * Double(curve.swings) * progress
        return Int((curve.amplitude * sin(angle) / points).rounded())
    }
}
