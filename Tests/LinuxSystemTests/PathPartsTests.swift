import LinuxSystem
import Testing

@Suite("The parts of a path (K-10)")
struct PathPartsTests {
    @Test(
        "K-10: a slash is one for the system, whatever follows it",
        arguments: [
            ("a", ".", "a", ["a"]), ("/a", "/", "a", ["a"]), ("/x//a", "/x/", "a", ["x", "a"]),
            ("/", "/", "", []), ("", ".", "", []), ("/x/\u{308}a", "/x", "\u{308}a", ["x", "\u{308}a"]),
            ("/x\u{308}/\u{301}", "/x\u{308}", "\u{301}", ["x\u{308}", "\u{301}"]),
        ] as [(String, String, String, [String])]
    )
    func parts(_ path: String, _ folder: String, _ name: String, _ parts: [String]) {
        #expect(Array(path.pathFolder.utf8) == Array(folder.utf8))
        #expect(Array(path.pathName.utf8) == Array(name.utf8))
        #expect(path.pathParts.map { Array($0.utf8) } == parts.map { Array($0.utf8) })
    }
}
