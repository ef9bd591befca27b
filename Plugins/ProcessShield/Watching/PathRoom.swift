/// A limit on the memory for the texts of paths. The limit is needed because a person may write any number of
/// paths into desktop entries, and may make any number of links.
struct PathRoom: Sendable {
    /// The bytes that are left. All programs of a usual desktop need about a tenth of the initial number.
    private(set) var left = 32 << 20

    /// The least number of bytes that a text counts as. Even a short text causes work.
    private static let least = 256

    /// Subtracts the bytes of a text, and returns whether there were enough bytes left.
    mutating func take(_ text: String) -> Bool {
        left -= max(text.utf8.count, Self.least)
        return left >= 0
    }
}
