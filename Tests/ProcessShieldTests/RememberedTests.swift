import AdapterKit
import Dispatch
import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

/// What is remembered of files that anyone may write in any number.
@Suite("What is remembered of files", .timeLimit(.minutes(5)))
struct RememberedTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("X-1: so many scripts are remembered and no more, and each is still read right")
    func scripts() throws {
        let reader = ScriptReader(limit: 60_000)
        let paths = try (0..<552).map {
            try scratch.write("#!/bin/sh\n# \($0)\n", to: "bin/s\($0)", mode: 0o755)
        }
        for round in 0..<2 {
            for (number, path) in paths.enumerated() {
                #expect(reader.read(path) == .script("#!/bin/sh\n# \(number)\n"), "round \(round)")
            }
            #expect(reader.count == 512)
        }
    }

    @Test("X-1: an entry is read again when it has changed, and no other is")
    func entries() throws {
        func write(_ name: String, _ label: String) throws {
            let text = "[Desktop Entry]\nType=Application\nName=\(label)\nExec=chess\n"
            try scratch.write(text, to: "applications/\(name).desktop")
        }
        try scratch.write("program", to: "bin/chess", mode: 0o755)
        for name in ["a", "b", "c"] { try write(name, name) }
        let resolver = ProgramResolver(
            catalogue: DesktopCatalogue(
                folders: ["\(scratch.path)/applications"],
                searchPath: ["\(scratch.path)/bin"]
            )
        )
        #expect(resolver.list().apps.map(\.label).sorted() == ["a", "b", "c"])
        #expect(resolver.entries.count == 3)
        try write("b", "another")
        #expect(resolver.list().apps.map(\.label).sorted() == ["a", "another", "c"])
        #expect(resolver.entries.count == 4)
        try scratch.remove("applications/a.desktop")
        #expect(resolver.list().apps.map(\.label).sorted() == ["another", "c"])
        #expect(resolver.entries.count == 4)
    }

    @Test(
        "X-1: a folder of commands is read again when it has changed; where its links lead is asked at each look"
    )
    func links() throws {
        let game = try scratch.write("program", to: "lib/game", mode: 0o755)
        let other = try scratch.write("program", to: "lib/other", mode: 0o755)
        try scratch.link("etc/perl", to: other)
        try scratch.link("bin/perl", to: "\(scratch.path)/etc/perl")
        let refused = ShieldTokenStanding.refused(reason: "it starts many other programs")
        func resolver(at now: Int64) -> ProgramResolver {
            ProgramResolver(
                catalogue: DesktopCatalogue(folders: [], searchPath: ["\(scratch.path)/bin"]),
                links: ProtectedLinks { now }
            )
        }
        let later = resolver(at: .max)
        #expect(later.standing(of: AppToken(game)) == .known)
        let folders = later.links.count
        #expect(folders > 0)
        // As update-alternatives(1) chooses another program.
        try scratch.remove("etc/perl")
        try scratch.link("etc/perl", to: game)
        #expect(later.standing(of: AppToken(game)) == refused)
        #expect(later.standing(of: AppToken(other)) == .known)
        #expect(later.links.count == folders)
        try scratch.link("bin/ruby", to: other)
        #expect(later.standing(of: AppToken(other)) == refused)
        #expect(later.links.count == folders + 1)
        try scratch.remove("bin/ruby")
        #expect(later.standing(of: AppToken(other)) == .known)
        // A file that is no link has no further name.
        try scratch.write("", to: "bin/python3")
        // A folder that has changed just now, or by a clock that was set back since, may change again unseen.
        let status = try #require(FileStatus(path: "\(scratch.path)/bin"))
        for (age, isRemembered) in [
            (ProtectedLinks.settled, true), (ProtectedLinks.settled - 1, false), (-1, false),
        ] {
            let links = ProtectedLinks { status.version.changed + age }
            for _ in 0..<2 { #expect(links.names(in: "\(scratch.path)/bin", status).map(\.name) == ["perl"]) }
            #expect(links.count == (isRemembered ? 1 : 2))
        }
    }

    @Test("X-1: of what entries say sixteen MiB are remembered; the rest is read again at the next look")
    func room() throws {
        // With its name, and what is counted beside the texts, 65,536 bytes: 256 of them fit.
        let command = String(repeating: "x", count: 64_959)
        let path = try scratch.write("[Desktop Entry]\nName=A\nExec=\(command)\n", to: "a.desktop")
        let id = FileID(device: 1, inode: 1, born: 1)
        let reader = EntryReader()
        func look() {
            let look = reader.look(for: [])
            for number in 0..<257 {
                let reading = look.read(path, .init(id: id, size: 0, changed: Int64(number)))
                #expect(reading.entry?.name == "A")
            }
            reader.remember(look)
        }
        look()
        #expect(reader.count == 257)
        look()
        #expect(reader.count == 258)
    }
}

#if os(Linux)
extension RealProcesses {
    @Suite("A catalogue that takes long to read", .timeLimit(.minutes(5)))
    struct LongCatalogueTests {
        @Test(
            "X-1: a program that starts is stopped while the catalogue is being read, however long that takes"
        )
        func starts() async throws {
            let bench = try ShieldBench()
            let shield = bench.shield
            try await bench.apply("chess.desktop")
            let isRead = DispatchSemaphore(value: 0)
            defer { isRead.signal() }
            async let busy: Void = shield.catalogueThread.run { () throws(Never) in isRead.wait() }
            try bench.scratch.write("[Desktop Entry]\nName=Go\nExec=go\n", to: "applications/go.desktop")
            let chess = try Child(bench.chess, ["60"])
            try await BoundedWait.until("the change is looked at") { await shield.isLookingAtCatalogue }
            let next = try Child(bench.chess, ["60"])
            #expect(await next.wait { $0.isStopped } != nil)
            #expect(await chess.wait { $0.isStopped } != nil)
            isRead.signal()
            await busy
            try await BoundedWait.until("the look is over") { await !shield.isLookingAtCatalogue }
        }
    }
}
#endif
