import Foundation
import Testing

/// `make install` with what was built for the tests, and `make uninstall`.
@Suite("make install", .timeLimit(.minutes(5)))
struct InstallTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
    private static let hasMake = ["make", "install", "strip"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    private func make(_ target: String, _ tool: Tool, _ place: String) async throws {
        let built = Tool.executable.deletingLastPathComponent().path
        // Without `setup`, which installs packages where some are missing.
        let line = "umask 077; make -C '\(Self.root)' -o setup \(target) BUILT='\(built)' \(place)"
        let outcome = try await tool.run(shell: line)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func files(below folder: URL) -> Set<String> {
        let files = FileManager.default
        let paths = (files.subpaths(atPath: folder.path) ?? []).filter { path in
            var isFolder: ObjCBool = false
            return unsafe files.fileExists(atPath: folder.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
        return Set(paths)
    }

    @Test("it installs pages and completions, and uninstall takes exactly these away", .enabled(if: hasMake))
    func both() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let stage = tool.home.appending(path: "a stage")
        let pages = stage.appending(path: "usr/share/man/man1")
        let place = "DESTDIR='\(stage.path)' PREFIX=/usr"
        // What another program may have put there.
        let foreign = ["portcullis-other.1", "cron.1"].map { pages.appending(path: $0) }
        try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
        for file in foreign { try Data(".TH OTHER 1\n".utf8).write(to: file) }
        let before = files(below: stage)

        try await make("install", tool, place)
        let share = [
            "man/man1/portcullis.1", "man/man1/portcullis-secret-get.1", "zsh/site-functions/_portcullis",
            "bash-completion/completions/portcullis", "fish/vendor_completions.d/portcullis.fish",
        ]
        let installed = files(below: stage)
        #expect(installed.isSuperset(of: ["usr/bin/portcullis"] + share.map { "usr/share/\($0)" }))
        #expect(installed.allSatisfy { $0.hasPrefix("usr/bin/") || $0.hasPrefix("usr/share/") })
        for file in installed.subtracting(before) {
            let path = stage.appending(path: file).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == (file.hasPrefix("usr/bin/") ? 0o755 : 0o644), "\(file)")
        }
        let version = try await tool.run(shell: "'\(stage.path)/usr/bin/portcullis' --version")
        #expect(version.text.hasPrefix("portcullis "))
        #expect(
            try String(contentsOf: pages.appending(path: "portcullis.1"), encoding: .utf8)
                .contains("\"\(version.text.dropLast())\"")
        )

        // A second time over what is there.
        try await make("install", tool, place)
        #expect(files(below: stage) == installed)
        try await make("uninstall", tool, place)
        #expect(files(below: stage) == before)
        try await make("uninstall", tool, place)
    }
}
