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
        let paths = try (0..<ScriptReader.mostKnown + 40).map {
            try scratch.write("#!/bin/sh\n# \($0)\n", to: "bin/s\($0)", mode: 0o755)
        }
        for round in 0..<2 {
            for (number, path) in paths.enumerated() {
                #expect(reader.read(path) == .script("#!/bin/sh\n# \(number)\n"), "round \(round)")
            }
            #expect(reader.count == ScriptReader.mostKnown)
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
