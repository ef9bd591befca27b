import Foundation
import SoftwareTPM
import Testing

/// Where a TPM or its libraries are missing, and where a passcode goes from one chip to another.
@Suite("portcullis passcode --tpm, without a chip or with two (H-3, H-8)", .timeLimit(.minutes(10)))
struct TPMLibraryTests {
    @Test("H-8: a TCTI that is not installed is told with the package that has it")
    func missingTCTI() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run(
            "passcode",
            "set",
            "--tpm",
            "nosuchtcti:x",
            "--no-recovery",
            input: "834912\n"
        )
        #expect(outcome.status == 7)
        let library = outcome.errors.contains("libtss2-tcti-nosuchtcti0 is missing")
        // Without tpm2-tss at all the loader is what is missing first.
        #expect(library || outcome.errors.contains("libtss2-tctildr0 is missing"), "\(outcome.errors)")
        #expect(outcome.errors.contains("install the package"))
        #expect(try await tool.run("passcode", "status", "--json").json["set"] as? Bool == false)
    }

    @Test(
        "H-8: where the loader of TCTIs cannot be opened, the package is named, and the rest of the tool works"
    )
    func missingLoader() async throws {
        var tool = try Tool()
        defer { tool.remove() }
        let folder = tool.home.appendingPathComponent("libraries")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The linker takes the first file of that name, and an empty one is no library.
        try Data().write(to: folder.appendingPathComponent("libtss2-tctildr.so.0"))
        tool.variables["LD_LIBRARY_PATH"] = folder.path
        let outcome = try await tool.run(
            "passcode",
            "set",
            "--tpm",
            "auto",
            "--no-recovery",
            input: "834912\n"
        )
        #expect(outcome.status == 7)
        #expect(outcome.errors.contains("libtss2-tctildr0 is missing"), "\(outcome.errors)")
        #expect(try await tool.run("passcode", "set", input: "834912\n").status == 0)
        #expect(try await tool.run("passcode", "verify", input: "834912\n").status == 0)
    }

    @Test(
        "H-3: moving a passcode to another chip, or out of it, leaves nothing in the first one",
        .enabled(if: SoftwareTPM.isInstalledAndOwn, "it takes swtpm, tpm2-tools and libtss2-tctildr0")
    )
    func movesChips() async throws {
        var desk = try await TPMToolTests.Desk()
        defer { desk.remove() }
        let other = try SoftwareTPM()
        defer { other.remove() }
        func left(in chip: SoftwareTPM) throws -> [String] {
            try ["nv-index", "persistent", "transient", "loaded-session"].flatMap { try chip.handles($0) }
        }
        let set = ["passcode", "set", "--tpm", other.tcti, "--no-recovery"]
        let right = Data(TPMToolTests.right.utf8)
        #expect(try await desk.tool.run(set, input: right).status != 0, "one is set already")
        #expect(try left(in: other).isEmpty)
        #expect(try await desk.run("remove", input: TPMToolTests.right).status == 0)
        #expect(try left(in: desk.chip).isEmpty)
        #expect(try await desk.tool.run(set, input: right).status == 0)
        desk.tcti = other.tcti
        #expect(try await desk.verify(TPMToolTests.right).status == 0)
        #expect(try left(in: desk.chip).isEmpty)
        #expect(try other.handles("nv-index").count == 2)
    }
}
