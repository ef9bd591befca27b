import PortcullisCore
import Testing

@testable import ProcessShield

@Suite("Desktop entries", .timeLimit(.minutes(5)))
struct DesktopEntryTests {
    private func entry(_ lines: String) -> DesktopEntry? {
        DesktopEntry(parsing: "[Desktop Entry]\n\(lines)\n", languages: [])
    }

    @Test(
        "X-1: escapes are read as the format has them, others are kept as they are",
        arguments: [
            (#"a\sb"#, "a b"), (#"a\nb"#, "a\nb"), (#"a\tb"#, "a\tb"), (#"a\rb"#, "a\rb"),
            (#"a\\b"#, #"a\b"#), (#"a\;b"#, #"a\;b"#), (#"a\\sb"#, #"a\sb"#), (#"a\"#, #"a\"#),
        ]
    )
    func escapes(_ row: (written: String, value: String)) {
        #expect(entry("Name=\(row.written)")?.name == row.value)
    }

    @Test("X-1: blanks around a line, a key and a value are none of it")
    func blanks() {
        let read = DesktopEntry(
            parsing: " [Desktop Entry] \t\n\t Name \t= \t Chess \t\n  # Exec=no\nExec=chess\n \n=x\nno\n",
            languages: []
        )
        #expect(read?.name == "Chess" && read?.exec == "chess")
        // A blank is one whatever accent follows.
        #expect(entry("Name= \u{301}x")?.name.utf8.first == 0xCC)
    }

    @Test("X-1: so many categories of an entry are kept, and none that is longer than any of the menu's")
    func categories() {
        let names = (1...65).map { "C\($0)" }
        #expect(entry("Name=A\nCategories=\(names.joined(separator: ";"))")?.categories == names.dropLast())
        let (long, longer) = (String(repeating: "x", count: 64), String(repeating: "y", count: 65))
        #expect(entry("Name=A\nCategories=\(longer);\(long);Game")?.categories == [long, "Game"])
    }

    @Test("X-1: an entry without a name, or of another type, is none")
    func incomplete() {
        #expect(entry("Exec=chess") == nil && entry("Name=\nExec=chess") == nil)
        #expect(entry("Name=Chess\nType=Link") == nil && entry("Name=Chess\nType=Application") != nil)
        #expect(entry("Name=Chess")?.exec == nil)
    }

    @Test("X-1: what an entry says is yes only when it says true")
    func flags() {
        let read = entry("Name=Chess\nNoDisplay=1\nHidden=yes\nCategories=Game; Logic ;\nTryExec=x")
        #expect(read?.isUndisplayed == false && read?.isHidden == false && read?.isTerminal == false)
        #expect(read?.categories == ["Game", "Logic"] && read?.tryExec == "x")
        #expect(entry("Name=Chess\nNoDisplay=true")?.isUndisplayed == true)
    }

    @Test("A-23: a category is held if one of its apps can be started, and told as gated if all are denied")
    func coverage() {
        let game = CategoryToken("Game")
        func coverage(_ states: [ShieldCoverage.State]) -> ShieldCoverage.State? {
            var resolved = ResolvedSelection()
            resolved.selection.categories = [game]
            var apps: [AppToken: ProgramResolver.Resolution] = [:]
            for (number, state) in states.enumerated() {
                let token = AppToken("\(number)")
                switch state {
                case .unresolved: apps[token] = .unresolved
                case .refused(let reason): apps[token] = .refused(reason)
                default:
                    apps[token] = .program(Program(unitID: state == .gated ? "gated" : nil, token: token))
                }
            }
            resolved.categories = [game: apps]
            return resolved.coverage(of: [:]) { $0.unitID == nil ? .reactive : .gated }.categories[game]
        }
        let refused = ShieldCoverage.State.refused(reason: "it is a shell")
        #expect(coverage([.gated, .reactive, refused]) == .reactive)
        #expect(coverage([.gated, refused]) == .gated && coverage([.gated]) == .gated)
        #expect(coverage([refused]) == refused && coverage([]) == .unresolved)
    }
}
