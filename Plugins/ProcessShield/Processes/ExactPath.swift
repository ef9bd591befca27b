internal import PortcullisCore

/// The path of a file. Paths are compared byte by byte, as the kernel compares them. Swift's `==` also
/// equates texts that encode an accent differently, and such texts may be the paths of two files.
struct ExactPath: Hashable, Sendable, ExpressibleByStringInterpolation {
    let text: String

    /// The least number of bytes at which a path is too long for the kernel.
    static let limit = 4_096

    init(_ text: String) { self.text = text }

    init(stringLiteral text: String) { self.text = text }

    static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}
