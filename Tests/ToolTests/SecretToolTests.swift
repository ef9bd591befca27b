import Foundation
import Testing

@Suite("portcullis secret", .timeLimit(.minutes(10)))
struct SecretToolTests {
    private func permissions(_ url: URL) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int ?? -1
    }

    @Test("K-1: the first set makes store, key file and folders, for their owner only")
    func creates() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        #expect(try await tool.run("secret", "list").status == 0, "reading makes nothing")
        #expect(!FileManager.default.fileExists(atPath: tool.store.path))
        #expect(try await tool.run("secret", "set", "a", input: "x").status == 0)
        #expect(try permissions(tool.store) == 0o600)
        #expect(try permissions(tool.keyFile) == 0o600)
        #expect(try permissions(tool.store.deletingLastPathComponent()) == 0o700)
        #expect(try Data(contentsOf: tool.keyFile).count == 32)
    }

    @Test("K-1: whatever the umask, the owner can read and write what is made")
    func umask() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let folder = tool.store.deletingLastPathComponent()
        for command in ["set a", "compact", "salvage --to \"$HOME/rescued\""] {
            let outcome = try await tool.run(shell: "umask 0277; exec \"$0\" secret \(command)", input: "x")
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            for file in [tool.store, tool.keyFile, URL(fileURLWithPath: tool.store.path + ".lock")] {
                #expect(try permissions(file) == 0o600, "\(command): \(file.lastPathComponent)")
            }
        }
        #expect(try permissions(folder) == 0o700)
        #expect(try permissions(tool.home.appendingPathComponent("rescued")) == 0o600)
    }

    @Test("set, get, list and remove; bytes as they are; JSON; 1 where there is nothing")
    func items() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let bytes = Data((0...255).map { UInt8($0) } + [10, 0, 13, 10])
        #expect(try await tool.run(["secret", "set", "bytes"], input: bytes).status == 0)
        #expect(try await tool.run("secret", "set", "empty", "--allow-empty").status == 0)
        #expect(try await tool.run("secret", "get", "bytes").output == bytes)
        #expect(try await tool.run("secret", "get", "empty").output.isEmpty)
        let json = try await tool.run("secret", "get", "bytes", "--json").json
        #expect(json["value"] as? String == bytes.base64EncodedString())
        #expect(json["accessibility"] as? String == "whenUnlocked")
        #expect(try await tool.run("secret", "list").text == "bytes\nempty\n")
        #expect(
            try await tool.run("secret", "list", "--json").text
                == "{\"name\":\"bytes\"}\n{\"name\":\"empty\"}\n"
        )

        let absent = try await tool.run("secret", "get", "absent")
        #expect(absent.status == 1)
        #expect(absent.output.isEmpty)
        #expect(try await tool.run("secret", "remove", "bytes").status == 0)
        #expect(try await tool.run("secret", "remove", "bytes").status == 1)
        #expect(try await tool.run("secret", "get", "bytes").status == 1)
    }

    @Test("namespaces are apart; the library's own are refused")
    func namespaces() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", "--namespace", "one", input: "1")
        try await tool.run("secret", "set", "a", "--namespace", "two", input: "2")
        #expect(try await tool.run("secret", "get", "a", "--namespace", "one").text == "1")
        #expect(try await tool.run("secret", "get", "a").status == 1)
        let before = try Data(contentsOf: tool.store)
        for namespace in ["portcullis.passcode", "portcullis.asked", "", "with space"] {
            for command in [["get", "ada"], ["remove", "ada"], ["set", "ada"], ["list"], ["import-lines"]] {
                let outcome = try await tool.run(
                    ["secret"] + command + ["--namespace", namespace],
                    input: Data(#"{"name":"ada","value":"eA=="}"#.utf8)
                )
                #expect(outcome.status == 2, "\(command) in \(namespace)")
            }
        }
        #expect(try Data(contentsOf: tool.store) == before)
    }

    @Test("K-4: import-lines refuses a value of no bytes, and keeps what was there; --allow-empty takes it")
    func emptyLine() async throws {
        let tool = try Tool()
        #expect(try await tool.run("secret", "set", "k", input: "kept").status == 0)
        let lines = #"{"name":"k","value":""}"# + "\n"
        for options in [[], ["--batch"]] {
            let outcome = try await tool.run(["secret", "import-lines"] + options, input: Data(lines.utf8))
            #expect(outcome.status == 2 && outcome.errors.contains("line 1: the value is empty"))
            #expect(try await tool.run("secret", "get", "k").text == "kept")
        }
        #expect(try await tool.run("secret", "import-lines", "--allow-empty", input: lines).status == 0)
        #expect(try await tool.run("secret", "get", "k").text.isEmpty)
    }

    @Test("import-lines: one commit each, or one for all; a bad line is named")
    func importLines() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let lines = (0..<200).map { "{\"name\":\"n\($0)\",\"value\":\"dmFsdWU=\"}\n" }.joined()
        let outcome = try await tool.run("secret", "import-lines", "--json", input: lines)
        #expect(outcome.status == 0)
        #expect(outcome.text.split(separator: "\n").count == 200)
        #expect(try await tool.run("secret", "get", "n199").text == "value")

        let bad = "{\"name\":\"good\",\"value\":\"eA==\"}\n{\"name\":\"bad\",\"value\":\"***\"}\n"
        let batch = try await tool.run("secret", "import-lines", "--batch", input: bad)
        #expect(batch.status == 2)
        #expect(batch.errors.contains("line 2") && batch.errors.contains("nothing was kept"))
        #expect(try await tool.run("secret", "get", "good").status == 1, "all or nothing")
        let each = try await tool.run("secret", "import-lines", input: bad)
        #expect(each.status == 2 && each.errors.contains("the lines before it are kept"))
        #expect(try await tool.run("secret", "get", "good").text == "x", "each for itself")
    }

    @Test("K-3: a batch whose names come back is refused although its lines have no end")
    func endlessBatch() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run(
            shell: #"yes '{"name":"a","value":"dg=="}' | timeout 60 "$0" secret import-lines --batch"#
        )
        #expect(outcome.status == 2 && outcome.errors.contains("line 2"), "\(outcome.errors)")
        #expect(try await tool.run("secret", "list").text == "")
    }

    @Test("K-1: slots: passphrases and key files open the same store, and can be taken away")
    func slots() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let phrase = tool.home.appendingPathComponent("phrase")
        try Data("correct horse\n".utf8).write(to: phrase)
        let spare = tool.home.appendingPathComponent("spare.key").path
        #expect(
            try await tool.run("secret", "slots", "add", "--new-passphrase-file", phrase.path).status == 0
        )
        #expect(try await tool.run("secret", "slots", "add", "--new-key-file", spare).status == 0)
        #expect(try await tool.run("secret", "get", "a", "--passphrase-file", phrase.path).text == "x")
        #expect(
            try await tool.run("secret", "get", "a", "--passphrase-file", "-", input: "correct horse\n")
                .text == "x"
        )
        #expect(try await tool.run("secret", "get", "a", "--key-file", spare).text == "x")

        let list = try await tool.run("secret", "slots", "list", "--json").text.split(separator: "\n")
        #expect(list.count == 3)
        let passphrase = try #require(list.first { $0.contains("passphrase") })
        let fields = try JSONSerialization.jsonObject(with: Data(passphrase.utf8)) as? [String: Any]
        let id = try #require(fields?["id"] as? Int)
        #expect(fields?["memory"] as? Int == 19 * 1024)
        #expect(try await tool.run("secret", "slots", "remove", "\(id)").status == 0)
        #expect(try await tool.run("secret", "slots", "remove", "\(id)").status == 2)
        #expect(try await tool.run("secret", "get", "a", "--passphrase-file", phrase.path).status == 3)
        #expect(try await tool.run("secret", "slots", "add").status == 2)
    }

    @Test("K-2: with a passphrase first on standard input, the rest is the value")
    func passphraseThenValue() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run(
            "secret",
            "set",
            "a",
            "--passphrase-file",
            "-",
            input: "phrase\nvalue\n"
        )
        #expect(outcome.status == 0)
        #expect(
            try await tool.run("secret", "get", "a", "--passphrase-file", "-", input: "phrase\n").text
                == "value\n"
        )
    }

    @Test("K-10: each refusal has its exit status, names the file, and leaves it untouched")
    func refusals() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let store = tool.store
        let original = try Data(contentsOf: store)
        func expect(_ status: Int32, _ arguments: String..., once prepared: () throws -> Void)
            async throws
        {
            try prepared()
            let before = try? Data(contentsOf: store)
            for command in [["get", "a"], ["set", "b"], ["list"], ["remove", "a"], ["compact"]] {
                let outcome = try await tool.run(["secret"] + command + arguments, input: Data("y".utf8))
                #expect(outcome.status == status, "\(command): \(outcome.errors)")
                #expect(outcome.errors.hasPrefix("portcullis: ") && outcome.errors.contains("/"))
                #expect(outcome.output.isEmpty)
            }
            let after = try? Data(contentsOf: store)
            #expect(after == before)
            try? FileManager.default.removeItem(at: store)
            try original.write(to: store)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store.path)
        }
        let otherKey = tool.home.appendingPathComponent("other.key")
        try Data(repeating: 7, count: 32).write(to: otherKey)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: otherKey.path)
        try await expect(3, "--key-file", otherKey.path) {}
        try await expect(3, "--key-file", tool.home.path + "/absent.key") {}
        try await expect(4) {
            var bytes = original
            bytes[9000 % bytes.count] ^= 1
            bytes[8192 + 40] ^= 1
            try bytes.write(to: store)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store.path)
        }
        try await expect(7) {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)
        }
        try await expect(7) {
            let moved = tool.home.appendingPathComponent("moved")
            try? FileManager.default.removeItem(at: moved)
            try FileManager.default.moveItem(at: store, to: moved)
            try FileManager.default.createSymbolicLink(at: store, withDestinationURL: moved)
        }
        #expect(try await tool.run("secret", "get", "a").text == "x", "and all is well again")
    }

    @Test("K-10: a lock that is held for too long is 6; readers go on")
    func busy() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let lock = unsafe open(tool.store.path + ".lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let outcome = try await tool.run("secret", "set", "b", "--lock-timeout", "200ms", input: "y")
        #expect(outcome.status == 6)
        #expect(try await tool.run("secret", "get", "a").text == "x")
    }

    @Test("K-6, K-10: with an anchor, an older or missing store is 9")
    func rolledBack() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let anchor = ["--anchor", tool.home.appendingPathComponent("anchor").path]
        #expect(try await tool.run(["secret", "set", "a"] + anchor, input: Data("1".utf8)).status == 0)
        let old = try Data(contentsOf: tool.store)
        #expect(try await tool.run(["secret", "set", "a"] + anchor, input: Data("2".utf8)).status == 0)
        try old.write(to: tool.store)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tool.store.path)
        let rescued = tool.home.appendingPathComponent("rescued").path
        for command in [["get", "a"], ["check"], ["salvage", "--to", rescued]] {
            #expect(
                try await tool.run(["secret"] + command + anchor, input: Data()).status == 9,
                "\(command)"
            )
        }
        #expect(!FileManager.default.fileExists(atPath: rescued))
        #expect(try await tool.run("secret", "check").status == 0)
        #expect(
            try await tool.run("secret", "get", "a").text == "1",
            "without the anchor nobody can know"
        )
        try FileManager.default.removeItem(at: tool.store)
        #expect(try await tool.run(["secret", "set", "a"] + anchor, input: Data("3".utf8)).status == 9)
    }

    @Test("K-7: eight processes at once lose no update")
    func processes() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "first", input: "x")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    let lines = (0..<50).map { "{\"name\":\"w\(writer)-\($0)\",\"value\":\"eA==\"}\n" }
                        .joined()
                    let outcome = try await tool.run(
                        ["secret", "import-lines", "--lock-timeout", "60s"],
                        input: Data(lines.utf8)
                    )
                    #expect(outcome.status == 0, "\(outcome.errors)")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await tool.run("secret", "list").text.split(separator: "\n").count == 401)
    }

    @Test("check, compact and salvage: what is there, what is damaged, and what can be saved")
    func upkeep() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for name in ["a", "b", "c"] { try await tool.run("secret", "set", name, input: name) }
        try await tool.run("secret", "remove", "c")
        var report = try await tool.run("secret", "check", "--json").json
        #expect(report["items"] as? Int == 2)
        #expect(report["unfinishedTail"] as? Bool == false)
        #expect((report["damage"] as? [Any])?.isEmpty == true)
        let before = try Data(contentsOf: tool.store)
        // What is behind the frames is room for others.
        let end = try #require(report["bytes"] as? Int)
        #expect(8192 < end && before.dropFirst(end).allSatisfy { $0 == 0 })

        #expect(try await tool.run("secret", "compact").status == 0)
        #expect(try Data(contentsOf: tool.store).count < before.count)
        #expect(try await tool.run("secret", "list").text == "a\nb\n")

        // One bit, in the last value of the file.
        var bytes = try Data(contentsOf: tool.store)
        bytes[bytes.count - 20] ^= 1
        try bytes.write(to: tool.store)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tool.store.path)
        let damaged = try await tool.run("secret", "check", "--json")
        #expect(damaged.status == 4)
        report = damaged.json
        #expect((report["damage"] as? [Any])?.count == 1)

        let hurt = try await tool.run("secret", "get", "b")
        #expect(hurt.status == 4)
        #expect(hurt.errors.contains("`portcullis secret check`") && hurt.errors.contains("salvage"))

        let saved = tool.home.appendingPathComponent("saved").path
        #expect(try await tool.run("secret", "salvage", "--to", saved).status == 0)
        #expect(try await tool.run("secret", "get", "a", "--store", saved).text == "a")
        #expect(try Data(contentsOf: tool.store) == bytes, "the damaged file is left as it is")
    }

    @Test("K-9: export and import; what belongs to this device stays")
    func backup() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        try await tool.run("secret", "set", "b", "--accessibility", "whenUnlockedThisDeviceOnly", input: "y")
        try await tool.run("passcode", "set", input: "834912\n")
        let file = tool.home.appendingPathComponent("backup").path
        let exported = try await tool.run("secret", "export", "--to", file, "--json", input: "phrase\n")
        #expect(exported.text == "{\"items\":1,\"left\":1}\n", "the passcode is not counted")
        let again = try await tool.run("secret", "export", "--to", file + "2", input: "phrase\n")
        #expect(again.text == "1 item; 1 stays on this device\n")
        let other = ["--store", tool.home.path + "/other", "--key-file", tool.home.path + "/other.key"]
        let refused = try await tool.run(
            ["secret", "import", "--from", file] + other,
            input: Data("wrong\n".utf8)
        )
        #expect(refused.status == 3)
        let missing = ["secret", "import", "--from", tool.home.path + "/typo"] + other
        #expect(try await tool.run(missing, input: Data("phrase\n".utf8)).status == 7)
        let made = try FileManager.default.contentsOfDirectory(atPath: tool.home.path)
        #expect(!made.contains { $0.hasPrefix("other") }, "a refused import makes neither a store nor a key")
        #expect(
            try await tool.run(["secret", "import", "--from", file] + other, input: Data("phrase\n".utf8))
                .status == 0
        )
        #expect(try await tool.run(["secret", "list"] + other, input: Data()).text == "a\n")
        #expect(try await tool.run(["secret", "get", "a"] + other, input: Data()).text == "x")
    }

    @Test(
        "K-10: a file or folder that is missing elsewhere is no \"no such secret\"; an anchor that fails is told"
    )
    func missingElsewhere() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let nowhere = tool.home.path + "/nowhere/file"
        for arguments in [
            ["export", "--to", nowhere], ["salvage", "--to", nowhere], ["import", "--from", nowhere],
        ] {
            let outcome = try await tool.run(["secret"] + arguments, input: Data("phrase\n".utf8))
            #expect(outcome.status == 7, "\(arguments): \(outcome.errors)")
        }
        let set = try await tool.run(["secret", "set", "b", "--anchor", nowhere], input: Data("y".utf8))
        #expect(set.status == 7 || set.errors.contains("the anchor was not written"))
        // A sparse file that claims more than any memory.
        let huge = tool.home.path + "/huge"
        #expect(FileManager.default.createFile(atPath: huge, contents: nil))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: huge))
        try file.truncate(atOffset: 1 << 42)
        try file.close()
        #expect(
            try await tool.run(["secret", "import", "--from", huge], input: Data("phrase\n".utf8)).status == 4
        )
    }
}
