/// The room for the texts of paths that a person chose. A person may write any number of paths into desktop entries,
/// and may make any number of links.
struct PathRoom: Sendable {
    /// The bytes that are left. All programs of a usual desktop need about a tenth of the whole room.
    private(set) var left = 32 << 20

    /// The bytes that a text takes at least. They stand for the work that each text causes.
    private static let least = 256

    /// Takes the room for a text, and returns whether there was enough.
    mutating func take(_ text: String) -> Bool {
        left -= max(text.utf8.count, Self.least)
        return left >= 0
    }
}
