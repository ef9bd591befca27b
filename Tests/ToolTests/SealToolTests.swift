import Foundation
import Glibc
import Testing

/// What the other commands do with a sealed store.
@Suite("portcullis on a sealed store (K-8)", .serialized, .timeLimit(.minutes(10)))
struct SealToolTests {
    private let passcode = SealedHome.passcode

    /// A home whose store was sealed in a session that has ended.
    private func sealedHome() async throws -> (home: SealedHome, run: GuardedRun) {
        let home = try await SealedHome()
        let run = try await home.sealed()
        run.send(SIGTERM)
        _ = try await run.waitForEnd()
        return (home, run)
    }

    @Test("K-8: removing the passcode takes the seal off first; a wrong one takes nothing off")
    func removal() async throws {
        let (home, run) = try await sealedHome()
        defer { withExtendedLifetime(run) { home.remove() } }
        let tool = home.outside
        #expect(try await tool.run("passcode", "remove", input: "111112\n").status == 1)
        #expect(try await tool.run("secret", "get", "shut").status == 10)
        #expect(try await tool.run("passcode", "remove", input: "\(passcode)\n").status == 0)
        #expect(try await tool.hasPresentValuesOnly(), "the removed passcode's record")
        #expect(try await tool.run("secret", "get", "shut").text == "shut-value")
        #expect(try await tool.run("passcode", "status", "--json").json["set"] as? Bool == false)
        #expect(try await tool.run("secret", "slots", "list").text.contains("sealed") == false)
    }

    @Test("K-8: where the seal cannot be taken off the passcode stays")
    func removalThatFails() async throws {
        let (home, run) = try await sealedHome()
        defer { withExtendedLifetime(run) { home.remove() } }
        let tool = home.outside
        // Taking it off writes a new file beside the old one; a folder in its place keeps that from being made.
        let folder = home.store.deletingLastPathComponent()
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let place = folder.appendingPathComponent("default.keystore.new")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try Data().write(to: place.appendingPathComponent("full"))
        #expect(try await tool.run("passcode", "remove", input: "\(passcode)\n").status == 7, "\(before)")
        #expect(try await tool.run("passcode", "verify", input: "\(passcode)\n").status == 0)
        #expect(try await tool.run("secret", "get", "shut").status == 10)
        try FileManager.default.removeItem(at: place)
        #expect(try await tool.run("passcode", "remove", input: "\(passcode)\n").status == 0)
        #expect(try await tool.run("secret", "get", "shut").text == "shut-value")
    }

    private static func inode(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? Int
    }

    @Test("K-8: where the seal was taken off and the passcode could not be removed, it is said")
    func removalCutShort() async throws {
        let (home, run) = try await sealedHome()
        defer { withExtendedLifetime(run) { home.remove() } }
        let (tool, path) = (home.outside, home.store.path)
        let lock = unsafe open(path + ".lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        try #require(lock >= 0)
        let sealed = Self.inode(path)
        let limit = ContinuousClock.now + .seconds(120)
        Thread.detachNewThread {
            // Taking the seal off replaces the file. After that the tool needs the lock twice, and derives a key
            // in between.
            while Self.inode(path) == sealed {
                guard ContinuousClock.now < limit else { return }
                usleep(100)
            }
            _ = flock(lock, LOCK_EX)
        }
        let outcome = try await tool.run(
            shell: "exec nice -n 5 \"$0\" passcode remove --busy-timeout 500ms",
            input: "\(passcode)\n"
        )
        #expect(outcome.status == 6 && outcome.errors.contains("not sealed any more"), "\(outcome.errors)")
        _ = flock(lock, LOCK_UN)
        #expect(try await tool.run("secret", "get", "shut").text == "shut-value")
        #expect(try await tool.run("passcode", "verify", input: "\(passcode)\n").status == 0)
        let removed = try await tool.run("passcode", "remove", input: "\(passcode)\n")
        #expect(removed.status == 0 && !removed.errors.contains("sealed"))
    }

    @Test("K-8: a changed passcode opens what was sealed under the one before")
    func change() async throws {
        let (home, run) = try await sealedHome()
        defer { withExtendedLifetime(run) { home.remove() } }
        #expect(try await home.outside.run("passcode", "change", input: "\(passcode)\n619283\n").status == 0)
        let next = try home.guarded()
        defer { withExtendedLifetime(next) {} }
        try await next.waitForText("Enter Passcode")
        try await next.unlock("619283")
        try await next.waitForText("ready")
        #expect(try await home.inside().run("secret", "get", "shut").text == "shut-value")
        next.send(SIGTERM)
        _ = try await next.waitForEnd()
    }

    @Test("K-8: a session goes on when the seal is taken off from elsewhere, locked or not")
    func unsealedMeanwhile() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        try await run.lock()
        let input = "\(SealedHome.passphrase)\n"
        #expect(try await home.outside.run("secret", "unseal", input: input).status == 0)
        try await run.unlock(passcode)
        #expect(try await home.inside().run("secret", "get", "shut").text == "shut-value")
        run.type("exit 0\n")
        #expect(try await run.waitForEnd() == 0)
        #expect(run.raw.contains("not sealed any more"), "who asked for a seal is told that there is none")
    }

    @Test("K-8: an export of a sealed store says what it takes; nothing is no recovery passphrase")
    func ways() async throws {
        let (home, run) = try await sealedHome()
        defer { withExtendedLifetime(run) { home.remove() } }
        let tool = home.outside
        let backup = tool.home.appendingPathComponent("backup").path
        let export = try await tool.run("secret", "export", "--to", backup, input: "backup phrase\n")
        #expect(export.status == 10 && export.errors.contains("secret unseal"))
        #expect(!FileManager.default.fileExists(atPath: backup))
        let nothing = try await tool.run("secret", "unseal", input: "\n")
        #expect(nothing.status == 2 && nothing.errors.contains("empty"))
    }

    @Test("K-8: slots tell the seal, and its own two cannot be taken away singly")
    func slots() async throws {
        let (home, run) = try await sealedHome()
        defer { withExtendedLifetime(run) { home.remove() } }
        let tool = home.outside
        #expect(try await tool.run("secret", "slots", "list").text.contains("sealed"))
        let slots = try await tool.run("secret", "slots", "list", "--json").text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let seal = slots.filter { $0["opens"] as? String == "whenUnlocked" }
        #expect(Set(seal.compactMap { $0["kind"] as? String }) == ["rawKey", "passphrase"])
        for slot in seal {
            let id = try #require(slot["id"] as? Int)
            #expect(try await tool.run("secret", "slots", "remove", "\(id)").status == 2)
        }
        // Another way to open the store opens nothing that is sealed.
        let added = ["secret", "slots", "add", "--new-passphrase-file", home.phrase.path]
        #expect(try await tool.run(added, input: Data()).status == 0)
        let get = ["secret", "get", "shut", "--passphrase-file", home.phrase.path]
        #expect(try await tool.run(get, input: Data()).status == 10)
    }
}
