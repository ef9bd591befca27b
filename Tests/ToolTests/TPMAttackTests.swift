import Foundation
import Gcrypt
import GcryptKeystore
import PortcullisCore
import SoftwareTPM
import Testing

@testable import PasscodeLock
@testable import TPM

/// What a person at the chip, and one between the tool and the chip, get out of a passcode: by the built tool and tpm2-tools.
@Suite(
    "portcullis passcode --tpm, attacked (H-1)",
    .enabled(if: SoftwareTPM.isInstalledAndOwn, "it takes swtpm, tpm2-tools and libtss2-tctildr0"),
    .timeLimit(.minutes(10))
)
struct TPMAttackTests {
    private static let passcodes = [TPMToolTests.right, TPMToolTests.wrong]

    /// A passcode that was set through a proxy.
    private struct Desk {
        let inner: TPMToolTests.Desk
        let proxy: ChipProxy
        let attacker: ChipAttacker
        var tool: Tool { inner.tool }
        var chip: SoftwareTPM { inner.chip }

        init(sets: Bool = true) async throws {
            var inner = try await TPMToolTests.Desk(sets: false)
            proxy = try ChipProxy(inner.chip)
            attacker = ChipAttacker(inner.chip)
            inner.tcti = proxy.tcti
            self.inner = inner
            if sets { try #require(try await set() == 0) }
        }

        func set() async throws -> Int32 {
            let arguments = [
                "passcode", "set", "--tpm", proxy.tcti, "--tpm-limit", "5", "--throttle", "unlimited",
                "--recovery-passphrase-file", inner.passphraseFile.path,
            ]
            return try await tool.run(arguments, input: Data(TPMToolTests.right.utf8)).status
        }

        func expectsRefusal(_ what: Comment) async throws {
            for passcode in TPMAttackTests.passcodes {
                #expect(try await inner.verify(passcode).status == 7, what)
            }
        }

        func remove() {
            proxy.remove()
            inner.remove()
        }

        /// What lies in the record, which the person's files hold.
        func sealed() async throws -> SealedKey {
            let store = try await GcryptKeystore.open(
                KeystoreConfiguration(path: tool.store.path, credential: .keyFile(tool.keyFile.path))
            )
            let item = try #require(try await store.read(PasscodeNames.record(of: .device)))
            guard case .sealed(let sealed) = try PasscodeRecord(decoding: item.value).credential else {
                throw PasscodeSealerError(code: .malformed, message: "the record has no sealed key")
            }
            return sealed
        }

        /// What the passcode shows the chip.
        func authorization() async throws -> [UInt8] {
            let sealed = try await sealed()
            return try SealSecrets(
                .passcode,
                SecretBytes(copying: "834912".utf8),
                salt: sealed.salt,
                sealed.parameters,
                context: TPMAttackTests.context
            ).authorization.bytes
        }
    }

    private static let context = "portcullis passcode of \(UserID.device.rawValue)"

    @Test("H-1: replaying what was heard, with each index deleted and defined again, gives no key and no try")
    func replays() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        let (heard, attacker) = (desk.proxy.heard, desk.attacker)
        let objects = ChipAttacker.objects(in: heard)
        let indexes = ChipAttacker.indexes(in: heard)
        try #require(objects.count == 3 && indexes.count == 2)
        let (note, count) = (indexes[0], indexes[1])
        #expect(try await desk.inner.verify(TPMToolTests.wrong).status == 1)
        // What wrote the count once, the half of the key, and the half of the second way in.
        let names = ["writer", "half", "recovery"]
        for (object, name) in zip(objects, names) { #expect(try attacker.load(object, as: name)) }
        let right = "hex:" + (try await desk.authorization()).hex
        #expect(
            attacker.unseal("half", knowing: count.handle, right)?.count == 32,
            "so it is opened, by who knows the passcode"
        )
        #expect(try await desk.inner.counted() == 0)
        #expect(attacker.unseal("half", knowing: count.handle, "mine") == nil)
        #expect(try await desk.inner.counted() == 1, "a guess past the tool is counted, too")
        func expectsNothing(_ what: Comment) {
            for authorization in ["str:", "str:mine", right] {
                for name in names {
                    #expect(attacker.unseal(name, with: authorization) == nil, what)
                }
            }
            for authorization in [nil, "mine", right] {
                #expect(attacker.unseal("half", knowing: count.handle, authorization) == nil, what)
                #expect(!attacker.write(count.handle, knowing: "writer", authorization), what)
            }
        }
        // The storage key and the note are not what keeps the key.
        try desk.chip.tool("tpm2_evictcontrol", "-C", "o", "-c", attacker.storageKey)
        _ = desk.chip.run("tpm2_flushcontext", ["-t"])
        try desk.chip.tool("tpm2_createprimary", "-C", "o", "-G", "rsa2048", "-c", "other")
        _ = desk.chip.run("tpm2_flushcontext", ["-t"])
        try desk.chip.tool("tpm2_evictcontrol", "-C", "o", "-c", "other", attacker.storageKey)
        #expect(try await desk.inner.verify(TPMToolTests.wrong).status == 1)
        #expect(try await desk.inner.counted() == 2, "another key in its place gives no try back")
        #expect(try !attacker.load(objects[1], as: "under-another"))
        try desk.chip.tool("tpm2_evictcontrol", "-C", "o", "-c", attacker.storageKey)
        try attacker.replace(note, attributes: "ownerwrite|ownerread|no_da")
        try desk.chip.tool("tpm2_nvwrite", note.handle, "-C", "o", "-i", "-", input: Data(count: 8))
        #expect(try await desk.inner.verify(TPMToolTests.wrong).status == 1)
        #expect(try await desk.inner.counted() == 3)

        try attacker.replace(count)
        expectsNothing("it has the same Name, and was never written")
        try await desk.expectsRefusal("the same Name")
        try attacker.replace(count, attributes: "nt=0x8|policywrite|ownerwrite|ownerread|no_da")
        let zero = Data([0, 0, 0, 0, 0, 0, 0, 99])
        try desk.chip.tool("tpm2_nvwrite", count.handle, "-C", "o", "-i", "-", input: zero)
        expectsNothing("it was written, and has another Name")
        try await desk.expectsRefusal("another Name")
        #expect(try await desk.inner.recover("528417\n").status == 0)
        #expect(try await desk.inner.verify("528417\n").status == 0)
    }

    @Test("H-1: a proxy that puts its own key or another chip in between is 7, and learns nothing")
    func between() async throws {
        let desk = try await Desk(sets: false)
        defer { desk.remove() }
        let other = try await TPMToolTests.Desk(recovery: false)
        defer { other.remove() }
        // The base point of P-256: the key whose private part is 1.
        let point = Self.basePoint
        let key: @Sendable (UInt32, [UInt8]) -> [UInt8] = { code, answer in
            let place = [0x173: 36, 0x131: 44][code]
            guard let place, answer.count > place + 66 else { return answer }
            var answer = answer
            answer.replaceSubrange(place..<place + 32, with: point.prefix(32))
            answer.replaceSubrange(place + 34..<place + 66, with: point.suffix(32))
            return answer
        }
        desk.proxy.alter(key)
        #expect(try await desk.set() == 7, "no chip follows a session that is salted to another key")
        desk.proxy.alter(nil)
        #expect(try await desk.set() == 0)
        #expect(try await desk.inner.verify(TPMToolTests.right).status == 0)
        #expect(try await desk.inner.verify(TPMToolTests.wrong).status == 1)

        desk.proxy.forget()
        desk.proxy.alter(key)
        try await desk.expectsRefusal("a key of the proxy's")
        #expect(!desk.proxy.heard.contains { $0.code == 0x176 }, "no session is begun with it")
        desk.proxy.alter(nil)
        desk.proxy.route { _ in other.chip }
        try await desk.expectsRefusal("another chip")
        // The chip's own answers about its key and its count, and another chip for all that depends on the passcode.
        let parts: [Set<UInt32>] = [[0x176, 0x157, 0x151, 0x15E, 0x165], [0x157], [0x151, 0x15E]]
        for part in parts {
            desk.proxy.route { part.contains($0) ? other.chip : nil }
            try await desk.expectsRefusal("another chip for \(part)")
            other.chip.flush()
            desk.chip.flush()
        }
        desk.proxy.route(nil)
        // What says that the passcode was right, and what was released, without the session's key.
        for code: UInt32 in [0x151, 0x15E] {
            desk.proxy.alter { found, answer in
                guard found == code else { return answer }
                return answer.dropLast() + [answer[answer.count - 1] ^ 1]
            }
            let outcome = try await desk.inner.verify(TPMToolTests.right)
            #expect(outcome.status == 7)
            desk.chip.flush()
        }
        desk.proxy.alter(nil)
        #expect(try await desk.inner.status()["failures"] as? Int == 1, "only the try that was judged")
        #expect(try await desk.inner.verify(TPMToolTests.right).status == 0)
        #expect(try await desk.inner.counted() == 0)
    }

    @Test("H-1: the traffic of set, verify, change and recover holds no passcode, derived value or key")
    func traffic() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        let first = try await desk.sealed()
        #expect(try await desk.inner.verify(TPMToolTests.right).status == 0)
        #expect(try await desk.inner.verify(TPMToolTests.wrong).status == 1)
        #expect(try await desk.inner.run("change", input: "834912\n619283\n").status == 0)
        #expect(try await desk.inner.recover("528417\n").status == 0)
        let heard = desk.proxy.heard.flatMap { [$0.command, $0.answer] }
        #expect(heard.count > 100)
        let texts = ["834912", "270954", "619283", "528417", TPMToolTests.passphrase]
        for text in texts {
            #expect(!heard.contains { $0.firstRange(of: Array(text.utf8)) != nil }, "\(text)")
        }
        var secrets: [[UInt8]] = []
        for (sealed, passcode) in [(first, "834912"), (try await desk.sealed(), "528417")] {
            let seal = try TPMSeal(sealed.sealed)
            let recovery = try #require(seal.recovery)
            for (use, text, salt, cost) in [
                (SealSecrets.Use.passcode, passcode, sealed.salt, sealed.parameters),
                (.recovery, TPMToolTests.passphrase, recovery.salt, recovery.parameters),
            ] {
                let secret = SecretBytes(copying: text.utf8)
                secrets.append(try Argon2.derive(secret, salt: salt, cost, length: 64).bytes)
                secrets.append(
                    try SealSecrets(use, secret, salt: salt, cost, context: Self.context).authorization.bytes
                )
            }
        }
        let sealer = TPMPasscodeSealer(
            TPMConfiguration(address: TPMAddress(desk.chip.tcti), scope: [])
        )
        let opening = try await sealer.open(
            try await desk.sealed(),
            with: SecretBytes(copying: "528417".utf8),
            context: Self.context
        )
        guard case .opened(let key) = opening else {
            Issue.record("the record opens with its passcode")
            return
        }
        secrets.append(key.bytes)
        // Any eight bytes of one would be too much.
        let pieces = Set(
            secrets.flatMap { secret in (0...secret.count - 8).map { Array(secret[$0..<$0 + 8]) } }
        )
        let found = heard.contains { message in
            (0...message.count - 8).contains { pieces.contains(Array(message[$0..<$0 + 8])) }
        }
        #expect(!found)
    }

    private static let basePoint: [UInt8] = [
        0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
        0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96,
        0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16,
        0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]
}

extension SecretBytes {
    fileprivate var bytes: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}

extension [UInt8] {
    fileprivate var hex: String {
        map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}
