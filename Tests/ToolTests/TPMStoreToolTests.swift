import Foundation
import SoftwareTPM
import Testing

/// The store's own parts in a TPM: a slot and an anchor, by the built tool.
@Suite(
    "portcullis secret with a TPM (H-4)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(10))
)
struct TPMStoreToolTests {
    @Test(
        "H-4: a slot in the TPM opens the store in the place of the key file, with that chip only",
        .enabled(if: SoftwareTPM.isOwn, "the chip cannot be turned off")
    )
    func slot() async throws {
        let desk = try await TPMToolTests.Desk(sets: false)
        defer { desk.remove() }
        let other = try SoftwareTPM()
        defer { other.remove() }
        let tool = desk.tool
        try await tool.run("secret", "set", "name", input: "value")
        #expect(
            try await tool.run("secret", "get", "name", "--tpm", desk.chip.tcti).status == 0,
            "by the key file"
        )
        let added = try await tool.run("secret", "slots", "add", "--tpm", desk.chip.tcti, "--json")
        #expect(added.status == 0 && added.json["kind"] as? String == "rawKey")
        try FileManager.default.removeItem(at: tool.keyFile)
        #expect(try await tool.run("secret", "get", "name").status == 3)
        #expect(try await tool.run("secret", "get", "name", "--tpm", desk.chip.tcti).text == "value")
        #expect(try await tool.run("secret", "get", "name", "--tpm", other.tcti).status == 3)
        #expect(
            try await tool.run("secret", "slots", "add", "--tpm", desk.chip.tcti).status == 2,
            "it is there"
        )
        desk.chip.turnOff()
        #expect(try await tool.run("secret", "get", "name", "--tpm", desk.chip.tcti).status == 7)
        try desk.chip.turnOn()
        #expect(try desk.chip.handles("nv-index").isEmpty && desk.chip.handles("persistent").isEmpty)
    }

    @Test("H-4: after its slot was removed each command with --tpm names the key's file, to be moved away")
    func removedSlot() async throws {
        let desk = try await TPMToolTests.Desk(sets: false)
        defer { desk.remove() }
        let tool = desk.tool
        let chip = ["--tpm", desk.chip.tcti]
        try await tool.run("secret", "set", "name", input: "value")
        let added = try await tool.run(["secret", "slots", "add", "--json"] + chip, input: Data())
        let id = try #require(added.json["id"] as? Int)
        #expect(try await tool.run("secret", "slots", "remove", "\(id)").status == 0)
        let file = tool.store.path + ".protected-key"
        let commands = [
            ["secret", "get", "name"], ["passcode", "set", "--no-recovery"], ["secret", "slots", "add"],
        ]
        for command in commands {
            let outcome = try await tool.run(command + chip, input: Data(TPMToolTests.right.utf8))
            #expect(outcome.status == 3 && outcome.errors.contains(file), "\(command): \(outcome.errors)")
        }
        try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
        for command in commands {
            let outcome = try await tool.run(command + chip, input: Data(TPMToolTests.right.utf8))
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
        }
    }

    @Test(
        "H-4: a protected key that was left by an earlier store is no key of a new one, which gets a key file"
    )
    func missingStore() async throws {
        let desk = try await TPMToolTests.Desk(sets: false)
        defer { desk.remove() }
        let tool = desk.tool
        try await tool.run("secret", "set", "name", input: "old")
        #expect(try await tool.run("secret", "slots", "add", "--tpm", desk.chip.tcti).status == 0)
        try FileManager.default.removeItem(at: tool.store)
        try FileManager.default.removeItem(at: tool.keyFile)
        #expect(try await tool.run("secret", "get", "name", "--tpm", desk.chip.tcti).status == 1)
        let set = try await tool.run(
            ["secret", "set", "name", "--tpm", desk.chip.tcti],
            input: Data("new".utf8)
        )
        #expect(set.status == 0, "\(set.errors)")
        #expect(FileManager.default.fileExists(atPath: tool.keyFile.path))
        #expect(try await tool.run("secret", "get", "name").text == "new")
        // The next command with the chip names the file that was left.
        let next = try await tool.run("secret", "get", "name", "--tpm", desk.chip.tcti)
        #expect(
            next.status == 3 && next.errors.contains(tool.store.path + ".protected-key"),
            "\(next.errors)"
        )
    }

    @Test(
        "H-4: an anchor's counter notices an older store with its record, a missing record, and a replaced counter",
        .enabled(if: SoftwareTPM.isOwn, "the chip cannot be turned off")
    )
    func anchor() async throws {
        let desk = try await TPMToolTests.Desk(sets: false)
        defer { desk.remove() }
        let tool = desk.tool
        let anchor = ["--anchor", "tpm:\(desk.chip.tcti)"]
        func set(_ passcode: String) async throws -> Tool.Outcome {
            try await tool.run(["passcode", "set"] + anchor, input: Data(passcode.utf8))
        }
        #expect(try await set("834912\n").status == 0)
        let record = tool.store.path + ".anchor"
        #expect(FileManager.default.fileExists(atPath: record))
        #expect(try desk.chip.handles("nv-index").count == 1)
        func verify() async throws -> Int32 {
            try await tool.run(["passcode", "verify"] + anchor, input: Data("834912\n".utf8)).status
        }
        #expect(try await verify() == 0)
        let copy = try desk.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        #expect(try await verify() == 0, "it counts, so the store goes on")
        try desk.restore(copy)
        #expect(try await verify() == 9, "the store and its record are older than the counter")
        #expect(try await tool.run("passcode", "verify", input: "834912\n").status == 0, "who leaves it out")

        let second = try await TPMToolTests.Desk(sets: false)
        defer { second.remove() }
        let other = ["--anchor", "tpm:\(second.chip.tcti)"]
        #expect(try await second.tool.run(["secret", "set", "a"] + other, input: Data("1".utf8)).status == 0)
        #expect(try await second.tool.run(["secret", "set", "b"] + other, input: Data("2".utf8)).status == 0)
        #expect(try await second.tool.run(["secret", "get", "b"] + other, input: Data()).text == "2")
        let moved = second.tool.store.path + ".anchor"
        try FileManager.default.moveItem(atPath: moved, toPath: moved + ".away")
        #expect(try await second.tool.run(["secret", "get", "b"] + other, input: Data()).status == 9)
        try FileManager.default.moveItem(atPath: moved + ".away", toPath: moved)
        #expect(try await second.tool.run(["secret", "get", "b"] + other, input: Data()).status == 0)
        let counter = try #require(try second.chip.handles("nv-index").first)
        try second.chip.tool("tpm2_nvundefine", counter)
        #expect(try await second.tool.run(["secret", "get", "b"] + other, input: Data()).status == 9)
        // The way out that the guides name; the record is moved away as well.
        #expect(try await second.tool.run("secret", "compact", "--forget-counter").status == 0)
        try FileManager.default.removeItem(atPath: moved)
        for _ in 0..<2 {
            #expect(try await second.tool.run(["secret", "get", "b"] + other, input: Data()).text == "2")
        }
        #expect(try second.chip.handles("nv-index").count == 1)
        try FileManager.default.moveItem(atPath: moved, toPath: moved + ".away")
        #expect(try await second.tool.run(["secret", "get", "b"] + other, input: Data()).status == 9)
        try FileManager.default.moveItem(atPath: moved + ".away", toPath: moved)
        second.chip.turnOff()
        #expect(try await second.tool.run(["secret", "get", "b"] + other, input: Data()).status == 7)
    }
}
