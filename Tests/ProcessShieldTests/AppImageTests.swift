#if os(Linux)
import Foundation
import PortcullisCore
import Testing

@testable import ProcessShield

@Suite("AppImages, and programs of which nothing is seen", .timeLimit(.minutes(5)))
struct AppImageTests {
    private let processes: ProcessFolder
    private var scratch: Scratch { processes.scratch }

    init() throws { processes = try ProcessFolder() }

    private func resolution(_ path: String, reachesAll: Bool = true) -> ProgramResolver.Resolution? {
        let resolver = ProgramResolver(
            catalogue: DesktopCatalogue(folders: [], searchPath: []),
            reachesAll: reachesAll
        )
        let token = AppToken(path)
        return resolver.resolve(ShieldSelection(apps: [token])).apps[token]
    }

    /// A file that starts as an AppImage does.
    private func image(_ name: String, magic: String = "AI\u{2}") throws -> String {
        try scratch.write("\u{7F}ELF\u{2}\u{1}\u{1}\u{0}\(magic)\u{0}", to: name, mode: 0o755)
    }

    @Test("X-1: an AppImage is what was started from it, and not the process that serves its files")
    func images() throws {
        let chess = try image("Chess.AppImage")
        guard case .program(let app) = resolution(chess) else {
            throw Missing(what: "an AppImage")
        }
        #expect(app.isImage && app.canBeGated && app.mayStartUnseen)
        for (pid, program, image) in [
            (500, "/tmp/.mount_ChessX/usr/bin/chess", chess), (501, "/tmp/.mount_MailX/mail", "/opt/Mail"),
            (502, chess, chess), (503, "/usr/bin/bash", chess),
            (504, "/tmp/appimage_extracted_1/AppRun", chess), (505, "/tmp/.mount_ChessX", chess),
            (506, "/tmp/.mount_ChessX/usr/bin/python3.10", chess),
            (507, "/tmp/.mount_ChessX/usr/bin/xterm", chess),
        ] as [(Int32, String, String)] {
            try processes.write(pid, program)
            try scratch.write("A=b\0APPIMAGE=\(image)\0C=d\0", to: "proc/\(pid)/environ")
        }
        let table = processes.table
        let rules = SafetyRules(own: 2, ancestors: [], users: [1_000])
        for (pid, isApp) in [
            (500, true), (501, false), (502, false), (503, false), (504, true), (505, false), (506, true),
            (507, true),
        ]
            as [(Int32, Bool)]
        {
            let process = try #require(table.process(pid))
            #expect(app.matches(process) == isApp, "\(pid)")
            if isApp { #expect(ProcessGlance(for: [app], in: table).verdict(on: pid) == .candidate) }
        }
        #expect(!rules.isTouchable(try #require(table.process(502)), as: app), "the files come from it")
        #expect(!rules.isTouchable(try #require(table.process(503)), as: app), "a shell of the machine's")
        #expect(
            rules.isTouchable(try #require(table.process(506)), as: app),
            "an interpreter that came with it"
        )
        #expect(!rules.isTouchable(try #require(table.process(507)), as: app), "a terminal all the same")
        let start: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0x41, 0x49]
        #expect(!AppImage.starts(with: start))
        for (type, isImage) in [(0, false), (1, true), (2, true), (3, false)] as [(UInt8, Bool)] {
            #expect(AppImage.starts(with: start + [type]) == isImage)
        }
        for magic in ["AI\u{3}", "BI\u{2}", "\u{0}\u{0}\u{0}"] {
            guard case .program(let other) = resolution(try image("other", magic: magic)) else {
                throw Missing(what: "a program")
            }
            #expect(!other.isImage && !other.mayStartUnseen)
        }
    }

    @Test(
        "X-1: a program whose processes cannot be seen is refused with the reason, unless its start is denied"
    )
    func hidden() throws {
        let game = try scratch.write("program", to: "bin/game", mode: 0o2755)
        #expect(resolution(game, reachesAll: false) == .refused(ProgramResolver.hidden))
        guard case .program = resolution(game) else { throw Missing(what: "a program") }
        let plain = try scratch.write("program", to: "bin/plain", mode: 0o755)
        guard case .program = resolution(plain, reachesAll: false) else { throw Missing(what: "a program") }
        for (target, isHidden) in [(game, true), (plain, false)] {
            let script = try scratch.write("#!/bin/sh\nexec \(target)\n", to: "bin/play", mode: 0o755)
            #expect((resolution(script, reachesAll: false) == .refused(ProgramResolver.hidden)) == isHidden)
        }
    }

    @Test("X-1: a program with capabilities of its file is one whose processes cannot be seen")
    func capabilities() throws {
        let game = try scratch.write("program", to: "bin/game", mode: 0o755)
        guard scratch.givesCapabilities(to: game) else {
            try Test.cancel("this user may not give a file capabilities")
        }
        #expect(resolution(game, reachesAll: false) == .refused(ProgramResolver.hidden))
        guard case .program = resolution(game) else { throw Missing(what: "a program") }
    }

    @Test(
        "X-1: a web app behind a wrapper script is part of its browser, and refused",
        arguments: [
            ("exec /opt/chromium --app=https://game.example \"$@\"", true),
            ("if true; then exec /opt/chromium --app-id=abc; fi", true),
            ("exec /opt/epiphany --application-mode https://game.example", true),
            ("exec /opt/chromium --app=plain", false), ("# exec /opt/chromium --app-id=abc", false),
            ("URL=https://game.example\nexec /opt/chromium --app=\"$URL\"", true),
            ("ARGS=\"--app=https://game.example\"\nexec /opt/chromium $ARGS", true),
            ("A-B=--app-id=abc\nexec /opt/chromium $A", true),
            ("exec /opt/chromium \\\n  --app-id=abc", true), ("exec chess --app=go", false),
            ("exec /opt/firefox --new-window \"https://game.example\"", true),
            ("exec firefox --kiosk \\\n  'https://game.example' &", true),
            ("firefox https://game.example", true), ("exec chess https-game", false),
            ("PAGE='https://game.example'\nexec firefox \"${PAGE}\"", true),
            ("curl https://game.example\necho 'see https://game.example'\nexec /opt/chess", false),
            ("URL=https://game.example\ncurl $URL\nexec /opt/chess \"$@\"", false),
            ("cat <<END\nexec firefox https://game.example\nEND\n/opt/chess", false),
        ]
    )
    func webApps(_ row: (line: String, isRefused: Bool)) throws {
        let script = try scratch.write("#!/bin/sh\n\(row.line)\n", to: "bin/play", mode: 0o755)
        #expect((resolution(script) == .refused(WebApp.reason)) == row.isRefused)
    }

    @Test("X-1: GNOME Web's web apps are refused like those of other browsers")
    func applicationMode() {
        #expect(WebApp.isNamed(by: "--application-mode") && !WebApp.isNamed(by: "--application-modes"))
    }
}
#endif
