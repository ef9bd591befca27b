#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The shake after an error: 10·sin(2πt) points to the side, t from 0 to 1.
public enum Shake: Sendable {
    /// How long it takes.
    public static let duration = Duration.milliseconds(400)
    /// How long each picture of it stands.
    public static let frame = Duration.milliseconds(40)

    /// The offset in cells at a time from 0 to 1; a cell is taken as 5 points wide.
    public static func cells(at progress: Double) -> Int {
        guard progress > 0, progress < 1 else { return 0 }
        return Int((10 * sin(2 * Double.pi * progress) / 5).rounded())
    }
}
