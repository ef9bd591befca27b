/// The parts of a path.
///
/// The system takes a path as bytes, and so does this search for slashes. Swift treats a slash and a
/// combining mark after it as one `Character`. So a search by characters would miss this slash.
extension String {
    private static var slash: UInt8 { UInt8(ascii: "/") }

    /// The path of the folder that the path's last part is in: `.` for a path without a slash.
    package var pathFolder: String {
        guard let end = utf8.lastIndex(of: Self.slash) else { return "." }
        return end == utf8.startIndex ? "/" : String(Substring(utf8[..<end]))
    }

    /// The last part of the path; the whole path if it has no slash.
    package var pathName: Substring {
        guard let end = utf8.lastIndex(of: Self.slash) else { return self[...] }
        return Substring(utf8[utf8.index(after: end)...])
    }

    /// The parts of the path that are not empty.
    package var pathParts: [Substring] { utf8.split(separator: Self.slash).map { Substring($0) } }
}
