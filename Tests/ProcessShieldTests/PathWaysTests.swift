#if os(Linux)
import Foundation
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

@Suite("The folders on which paths depend", .timeLimit(.minutes(5)))
struct PathWaysTests {
    private let scratch: Scratch
    private var root: String { scratch.path }

    init() throws { scratch = try Scratch() }

    /// The folders and names on the way to a file, or to a folder of entries.
    private func ways(to path: String, isTree: Bool = false) -> (folders: Set<ExactPath>, names: Set<String>)
    {
        var ways = PathWays()
        if isTree { ways.add(tree: path) } else { ways.add(file: path) }
        return (ways.folders, Set(ways.names.map { String(decoding: $0, as: UTF8.self) }))
    }

    @Test("X-1: of a missing folder directly below /, and of a program in /, the folder / tells")
    func topFolder() {
        let name = "portcullis-\(UUID())"
        for path in ["/\(name)/bin/chess", "/\(name)", "//\(name)/bin/chess"] {
            let found = ways(to: path)
            #expect(found.folders == ["/"] && found.names == [name])
        }
        #expect(ways(to: "/\(name)/applications", isTree: true).folders == ["/"])
        #expect(ways(to: "\(name)/chess").folders == ["."], "a relative path is one of the working folder")
    }

    @Test(
        "X-1: a folder that comes directly below / is told of",
        .enabled(if: FileManager.default.isWritableFile(atPath: "/"))
    )
    func topFolderComes() async throws {
        let folder = "/portcullis-\(UUID())"
        let notices = Mutex(0)
        let watch = try FolderWatch { notices.withLock { $0 += 1 } }
        defer { watch.end() }
        watch.look(at: ["\(folder)/chess"], in: [])
        try #require(unsafe mkdir(folder, 0o755) == 0)
        defer { unsafe rmdir(folder) }
        try await BoundedWait.until("a notice", limit: .seconds(20), every: .milliseconds(5)) {
            notices.withLock { $0 } > 0
        }
    }

    @Test("X-1: each folder that holds a link on the way tells, and so does the folder of the file")
    func links() throws {
        try scratch.write("", to: "games/v1/bin/chess")
        try scratch.link("games/current", to: "v1/.")
        try scratch.link("play/games", to: "\(root)/games")
        try scratch.link("start", to: "play/../play/games/current/bin/chess")
        let found = ways(to: "\(root)/start")
        let folders = ["", "/play", "/games", "/games/v1/bin"].map { ExactPath("\(root)\($0)") }
        #expect(found.folders == Set(folders))
        #expect(found.names == ["start", "games", "current", "chess"])
        // A link that leads nowhere: what it leads to may come.
        try scratch.link("games/next", to: "v2")
        let next = ways(to: "\(root)/games/next/bin/chess")
        #expect(next.folders == ["\(root)/games"] && next.names == ["next", "v2"])
    }

    @Test("X-1: of links that lead to one another as many are followed as the kernel follows")
    func manyLinks() throws {
        try scratch.write("", to: "games/chess")
        for number in 1...40 { try scratch.link("\(number)", to: "\(number + 1)") }
        try scratch.link("41", to: "games/chess")
        #expect(ways(to: "\(root)/2").folders == ["\(root)", "\(root)/games"])
        #expect(ways(to: "\(root)/1").folders == ["\(root)"])
    }

    @Test("X-1: of desktop entries all folders below tell, and the folder of a link to them")
    func trees() throws {
        try scratch.write("", to: "share/v1/sub/chess.desktop")
        try scratch.link("share/applications", to: "v1")
        let found = ways(to: "\(root)/share/applications", isTree: true)
        #expect(found.folders == ["\(root)/share", "\(root)/share/v1", "\(root)/share/v1/sub"])
        #expect(found.names.isSuperset(of: ["applications", "sub"]))
        #expect(ways(to: "\(root)/share/v1", isTree: true).folders.count == 2, "not the folder above")
    }

    @Test("X-1: links in a circle and paths that are too long come to an end")
    func endless() throws {
        try scratch.link("a", to: "b")
        try scratch.link("b", to: "a")
        #expect(ways(to: "\(root)/a/chess").folders == ["\(root)"])
        #expect(ways(to: root + String(repeating: "/x", count: 3_000)).folders.isEmpty)
        #expect(ways(to: String(repeating: "/.", count: 3_000), isTree: true).folders.isEmpty)
        try scratch.link("deep", to: String(repeating: "./", count: 2_000) + "deep")
        #expect(ways(to: "\(root)/deep").folders == ["\(root)"])
    }

    @Test("X-1: a folder that a way enters and leaves again is looked at once, however often the way does it")
    func turns() throws {
        try scratch.write("", to: "games/v1/chess")
        try scratch.write("", to: "games/v2/chess")
        let turns = String(repeating: "games/v1/../v2/../../", count: 30)
        try scratch.link("start", to: turns + "games/v2/chess")
        var ways = PathWays()
        ways.add(file: "\(root)/start")
        #expect(ways.folders == ["\(root)", "\(root)/games/v2"])
        // The folders above the scratch folder, the link, three folders and the file.
        #expect(ways.looks <= root.split(separator: "/").count + 5)
        #expect(self.ways(to: "/../../\(root)/start").folders == ways.folders, "/ is above itself")
        #expect(self.ways(to: "\(root)/games/v1/..", isTree: true).folders.contains("\(root)/games/v2"))
    }

    @Test("X-1: the rest of a way that is too long, and of too many ways, is left out")
    func limits() throws {
        try scratch.write("", to: "a/chess")
        for number in 0..<8 {
            // Each link leads on to the next one, and each of the targets is as long as a link may have it.
            try scratch.link("\(number)", to: String(repeating: "a/../", count: 800) + "\(number + 1)")
        }
        var ways = PathWays()
        ways.add(file: "\(root)/0")
        #expect(ways.folders == ["\(root)"] && ways.names == [Array("0".utf8)])
        #expect(PathRoom().left - ways.room.left <= 256 * 256 + 4_096)
        for _ in 0..<1_000 where ways.room.left >= 0 { ways.add(file: "\(root)/0") }
        #expect(ways.room.left < 0)
        let looks = ways.looks
        ways.add(file: "\(root)/a/chess")
        #expect(ways.looks == looks && ways.folders == ["\(root)"])
    }

    @Test("X-1: what a selection names by path is watched before all that desktop entries name")
    func order() {
        let entries = (0..<1_000).map { ExactPath("/usr/bin/game-\($0)") }
        let resolved = ResolvedSelection(
            selection: ShieldSelection(apps: [AppToken("/opt/chess"), AppToken("go.desktop")]),
            awaited: Set(entries + ["/opt/chess"])
        )
        #expect(resolved.places.first == "/opt/chess")
        #expect(resolved.places.count == 1_001 && Set(resolved.places) == resolved.awaited)
    }

    @Test("X-1: names that differ in their Unicode form alone are two")
    func unicodeForms() throws {
        var ways = PathWays()
        for name in ["\u{E9}", "e\u{301}"] {
            try scratch.write("", to: "bin-\(name)/\(name)")
            ways.add(file: "\(root)/bin-\(name)/\(name)")
        }
        #expect(ways.folders.count == 2 && ways.names.count == 2)
        #expect(ExactPath("\u{E9}").hashValue != ExactPath("e\u{301}").hashValue)
    }

    @Test("X-1: a name that begins with an accent is one name")
    func accent() throws {
        try #require(unsafe mkdir("\(root)/\u{301}bin", 0o755) == 0)
        #expect(ways(to: "\(root)/\u{301}bin/chess").folders == ["\(root)/\u{301}bin"])
    }
}
#endif
