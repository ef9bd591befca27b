import Foundation
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealedSession

/// Where an agent's socket lies.
@Suite("the place of a session's agent (K-8)", .timeLimit(.minutes(5)))
struct AgentPlaceTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("K-8: a runtime folder that is open to others, or relative, is not used")
    func untrustedPlace() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "agent-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, permissions, isUsed) in [
            (folder.path, 0o700, true), (folder.path, 0o770, false), ("relative", 0o700, false),
            (folder.path + String(repeating: "/.", count: 60), 0o700, false),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder.path)
            let place = try AgentPlace.make(["XDG_RUNTIME_DIR": path])
            defer { place.remove() }
            #expect(place.folder.hasPrefix(folder.path) == isUsed)
            #expect(try mode(place.folder) == 0o700)
        }
    }

    @Test(
        "K-8: a runtime folder of another user is not used, though the process may write there",
        .enabled(if: geteuid() == 0)
    )
    func foreignPlace() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "agent-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let chowned = unsafe chown(folder.path, 65534, 65534)
        try #require(chowned == 0)
        let place = try AgentPlace.make(["XDG_RUNTIME_DIR": folder.path])
        defer { place.remove() }
        #expect(!place.folder.hasPrefix(folder.path))
    }

    @Test("K-8: the folder of a session that was killed is removed by the next one; one in use stays")
    func leftFolders() throws {
        let base = URL(fileURLWithPath: "/tmp/places-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: base,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: base) }
        func folder(_ name: String, holdsSocket: Bool) throws -> URL {
            let folder = base.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            if holdsSocket {
                // What a process leaves behind: a socket without anything that listens.
                let listener = try #require(UnixSocket.listen(at: folder.appending(path: "agent").path))
                close(listener)
            }
            return folder
        }
        let left = try folder("portcullis-a1B2c3", holdsSocket: true)
        let foreign = try folder("portcullis-backup", holdsSocket: false)
        let longer = try folder("portcullis-longer-name", holdsSocket: true)
        let environment = ["XDG_RUNTIME_DIR": base.path]
        let first = try AgentPlace.make(environment)
        defer { first.remove() }
        let listener = try #require(UnixSocket.listen(at: first.socket))
        defer { close(listener) }
        let second = try AgentPlace.make(environment)
        defer { second.remove() }
        let there = [left, foreign, longer].map { FileManager.default.fileExists(atPath: $0.path) }
        #expect(there == [false, true, true])
        #expect(FileManager.default.fileExists(atPath: first.socket))
        #expect(first.folder != second.folder)
    }

    @Test(
        "K-8: without a runtime folder the socket lies among temporary files, and the longest path is used in full"
    )
    func otherPlaces() throws {
        let base = URL(fileURLWithPath: "/tmp/places-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: base) }
        func folder(_ environment: [String: String]) throws -> String {
            let place = try AgentPlace.make(environment)
            defer { place.remove() }
            #expect(try mode(place.folder) == 0o700)
            #expect(place.socket == place.folder + "/agent")
            #expect(place.folder.split(separator: "/").last?.utf8.count == "portcullis-".utf8.count + 6)
            return URL(fileURLWithPath: place.folder).deletingLastPathComponent().path
        }
        #expect(try folder(["TMPDIR": base.path]) == base.path)
        #expect(try folder([:]) == "/tmp")
        #expect(try folder(["TMPDIR": "relative"]) == "/tmp")
        #expect(try folder(["TMPDIR": base.path + "/none"]) == "/tmp")
        // The kernel takes 107 bytes: these of the base, and "/portcullis-XXXXXX/agent".
        for (count, isUsed) in [(83, true), (84, false)] {
            let name = String(repeating: "x", count: count - base.path.utf8.count - 1)
            let long = base.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: long, withIntermediateDirectories: false)
            #expect(try folder(["TMPDIR": long.path]) == (isUsed ? long.path : "/tmp"), "\(count)")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: base.path).count == 2,
            "no folder is left"
        )
    }

    @Test("K-8: what has the name of an agent's folder and holds no socket, or more than one, is left alone")
    func otherFolders() throws {
        let base = URL(fileURLWithPath: "/tmp/places-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: base) }
        func make(_ name: String, file: String?) throws -> String {
            let folder = base.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            if let file { try Data().write(to: folder.appendingPathComponent(file)) }
            return folder.path
        }
        let (empty, plain) = (
            try make("portcullis-aaaaaa", file: nil), try make("portcullis-bbbbbb", file: "agent")
        )
        let full = try make("portcullis-cccccc", file: "notes")
        for name in [full] { close(try #require(UnixSocket.listen(at: name + "/agent"))) }
        let other = try make("other-dddddd-eeeeee", file: nil)
        close(try #require(UnixSocket.listen(at: other + "/agent")))
        try AgentPlace.make(["TMPDIR": base.path]).remove()
        let files = FileManager.default
        #expect(files.fileExists(atPath: empty) && files.fileExists(atPath: plain + "/agent"))
        #expect(files.fileExists(atPath: full + "/notes") && files.fileExists(atPath: other + "/agent"))
    }

    @Test("K-8: a place leaves no descriptor open, whether it was removed or found locked")
    func descriptors() throws {
        let files = FileManager.default
        let base = URL(fileURLWithPath: "/tmp/places-\(UUID().uuidString.prefix(8))")
        try files.createDirectory(at: base, withIntermediateDirectories: false)
        defer { try? files.removeItem(at: base) }
        /// The open descriptors of folders in the base. Other tests open others meanwhile.
        func open() throws -> Int {
            try files.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
                (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?
                    .hasPrefix(base.path + "/") == true
            }
        }
        let kept = try AgentPlace.make(["TMPDIR": base.path])
        close(try #require(UnixSocket.listen(at: kept.socket)))
        #expect(try open() == 1)
        for _ in 0..<5 { try AgentPlace.make(["TMPDIR": base.path]).remove() }
        #expect(try open() == 1)
        #expect(files.fileExists(atPath: kept.socket))
        kept.remove()
        #expect(try open() == 0)
        #expect(try files.contentsOfDirectory(atPath: base.path).isEmpty)
    }

    @Test("K-8: a store has one path, whatever links lead to it; a path that leads nowhere stays as it is")
    func canonical() throws {
        let base = URL(fileURLWithPath: "/tmp/places-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: base) }
        let file = base.appendingPathComponent("store")
        try Data().write(to: file)
        let link = base.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let path = try #require(AgentPlace.canonical(file.path))
        #expect(path.hasSuffix("/store"))
        #expect(AgentPlace.canonical(link.path) == path)
        #expect(AgentPlace.canonical(base.path + "/./store") == path)
        #expect(AgentPlace.canonical("no path") == "no path")
    }

    @Test("K-8: a link to a path that is not UTF-8 gives no path, and a store there has no agent")
    func unreadablePath() throws {
        let base = URL(fileURLWithPath: "/tmp/places-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: base,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let folder = Array(base.path.utf8CString.dropLast()) + [0x2F, CChar(bitPattern: 0xFF), 0]
        let link = base.path + "/link"
        defer {
            unsafe unlink(link)
            unsafe rmdir(folder)
            try? FileManager.default.removeItem(at: base)
        }
        let made = unsafe mkdir(folder, 0o700) == 0 && symlink(folder, link) == 0
        try #require(made)
        #expect(AgentPlace.canonical(link) == nil)
        let variables = ["XDG_RUNTIME_DIR": base.path, SessionAgent.variable: "/some/agent"]
        let error = #expect(throws: SessionAgentError.self) {
            try SessionAgent(store: InMemorySecretStore(), at: link, environment: variables)
        }
        #expect(error?.code == .unusablePath)
        #expect(AgentClient(variables, storePath: link) == nil)
        #expect(AgentClient(variables, storePath: base.path) != nil)
    }
}
