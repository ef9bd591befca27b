import Foundation
import SoftwareTPM

/// What a person with tpm2-tools does at a chip whose owner has no authorization, after listening to the tool.
struct ChipAttacker {
    /// A sealed object as it lies outside of the chip.
    struct Blob {
        var publicArea: [UInt8]
        var privateArea: [UInt8]
    }

    /// An index, as the command said that made it.
    struct Index {
        /// Such as `0x1a00041`.
        var handle: String
        var policy: [UInt8]
    }

    let chip: SoftwareTPM
    let storageKey = "0x81505443"

    init(_ chip: SoftwareTPM) { self.chip = chip }

    // MARK: What was heard

    /// The objects that the chip made, in their order: `Create` answers with both areas.
    static func objects(in heard: [ChipProxy.Exchange]) -> [Blob] {
        heard.filter { $0.code == 0x153 && $0.answer.count > 10 }.map { exchange in
            var bytes = exchange.answer.dropFirst(14)
            let privateArea = sized(&bytes)
            return Blob(publicArea: sized(&bytes), privateArea: privateArea)
        }
    }

    /// The indexes that were defined, in their order.
    static func indexes(in heard: [ChipProxy.Exchange]) -> [Index] {
        heard.filter { $0.code == 0x12A }.map { exchange in
            var bytes = exchange.command.dropFirst(14)
            // The authorizations, and the index's own, which is encrypted.
            let area = number(&bytes, of: 4)
            bytes = bytes.dropFirst(area)
            _ = sized(&bytes)
            var index = sized(&bytes)[...]
            let handle = number(&index, of: 4)
            return Index(
                handle: "0x\(String(handle, radix: 16))",
                policy: Array(index.dropFirst(8).prefix(32))
            )
        }
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>, of count: Int) -> Int {
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    private static func sized(_ bytes: inout ArraySlice<UInt8>) -> [UInt8] {
        let count = number(&bytes, of: 2)
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    // MARK: What is done with it

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = chip.folder.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        return file.path
    }

    private func sizedFile(_ name: String, _ bytes: [UInt8]) throws -> String {
        try file(name, [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes)
    }

    /// Loads an object into a context of this name, and gives whether the chip took it.
    func load(_ blob: Blob, as name: String) throws -> Bool {
        // Without a resource manager what was loaded before stays, until the chip is full.
        _ = chip.run("tpm2_flushcontext", ["-t"])
        let arguments = [
            "-C", storageKey, "-u", try sizedFile("public", blob.publicArea), "-r",
            try sizedFile("private", blob.privateArea), "-c", name,
        ]
        let result = chip.run("tpm2_load", arguments)
        _ = chip.run("tpm2_flushcontext", ["-t"])
        return result.status == 0
    }

    /// Unseals an object with an authorization, such as `str:mine`.
    func unseal(_ name: String, with authorization: String) -> [UInt8]? {
        release(name, authorization)
    }

    /// Unseals an object by a policy that knows an entity's authorization; `nil` for an empty one.
    func unseal(_ name: String, knowing entity: String, _ authorization: String?) -> [UInt8]? {
        defer { _ = chip.run("tpm2_flushcontext", ["session"]) }
        guard prove(entity, authorization) else { return nil }
        return release(name, "session:session")
    }

    /// Writes an index by a policy that knows an entity's authorization.
    func write(_ index: String, knowing entity: String, _ authorization: String?) -> Bool {
        defer { _ = chip.run("tpm2_flushcontext", ["session"]) }
        guard prove(entity, authorization) else { return false }
        let arguments = [index, "-C", index, "-P", "session:session", "-i", "-"]
        return chip.run("tpm2_nvwrite", arguments, input: Data([0, 0, 0, 0, 0, 0, 0, 99])).status == 0
    }

    /// Shows the authorization of an entity to a new policy session in the file `session`.
    private func prove(_ entity: String, _ authorization: String?) -> Bool {
        _ = chip.run("tpm2_flushcontext", ["-t"])
        guard chip.run("tpm2_startauthsession", ["--policy-session", "-S", "session"]).status == 0 else {
            return false
        }
        let arguments = ["-S", "session", "-c", entity] + (authorization.map { [$0] } ?? [])
        return chip.run("tpm2_policysecret", arguments).status == 0
    }

    /// Deletes an index and defines it again with the same public area, or with attributes of the attacker's, under an
    /// authorization of the attacker's.
    func replace(_ index: Index, attributes: String = "nt=0x8|policywrite|ownerread|no_da") throws {
        _ = chip.run("tpm2_nvundefine", [index.handle])
        try chip.tool(
            "tpm2_nvdefine",
            index.handle,
            "-s",
            "8",
            "-p",
            "mine",
            "-L",
            try file("policy", index.policy),
            "-a",
            attributes
        )
    }

    private func release(_ name: String, _ authorization: String) -> [UInt8]? {
        _ = chip.run("tpm2_flushcontext", ["-t"])
        let result = chip.run("tpm2_unseal", ["-c", name, "-p", authorization, "-o", "released"])
        guard result.status == 0 else { return nil }
        return (try? Data(contentsOf: chip.folder.appendingPathComponent("released"))).map(Array.init)
    }
}
