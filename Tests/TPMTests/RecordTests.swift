import PortcullisCore
import Synchronization
import Testing

@testable import TPM

/// Records that are refused before the chip is asked. No chip is needed.
@Suite("Records of a sealer that no chip sees (P-2, H-1)", .timeLimit(.minutes(1)))
struct RecordTests {
    private let passcode = SecretBytes(copying: Array("834912".utf8))
    private let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
    private let sealer = TPMPasscodeSealer(
        TPMConfiguration(scope: [1], parameters: Argon2Parameters(memory: 64, passes: 1, lanes: 1))
    ) { (_) throws(ChipFailure) in throw ChipFailure(kind: .unreachable(errno: 0)) }

    private func codes(
        _ record: SealedKey,
        _ other: TPMPasscodeSealer? = nil
    ) async -> [PasscodeSealerError.Code?] {
        let sealer = other ?? self.sealer
        func code(_ body: () async throws(PasscodeSealerError) -> Void) async -> PasscodeSealerError.Code? {
            do throws(PasscodeSealerError) { try await body() } catch { return error.code }
            return nil
        }
        return [
            await code { () throws(PasscodeSealerError) in
                _ = try await sealer.open(record, with: passcode, context: "c")
            },
            await code { () throws(PasscodeSealerError) in
                _ = try await sealer.recover(record, with: passcode, context: "c")
            },
            await code { () throws(PasscodeSealerError) in
                _ = try await sealer.readiness(of: record, context: "c")
            },
            await code { () throws(PasscodeSealerError) in
                _ = try await sealer.count(of: record, context: "c")
            },
        ]
    }

    private func record(
        format: Int = 1,
        algorithm: String = TPMPasscodeSealer.algorithm,
        _ parameters: Argon2Parameters? = nil,
        salt: Int = 16
    ) -> SealedKey {
        SealedKey(
            format: format,
            algorithm: algorithm,
            parameters: parameters ?? cheap,
            salt: [UInt8](repeating: 1, count: salt),
            sealed: [1, 2, 3]
        )
    }

    @Test("H-3: a recovery's key is bound to its user, its limit, its salt and its object")
    func recoveryBinding() {
        let object = Chip.Blob(publicArea: [2], privateArea: [3])
        let made = TPMSeal.Recovery(parameters: cheap, salt: [1], object: object, wrapped: [])
        var (salted, changed) = (made, made)
        salted.salt = [9]
        changed.object.publicArea = [9]
        let bound = NewRecovery.binding(made, limit: 5, "c")
        #expect(NewRecovery.binding(made, limit: 5, "d") != bound)
        #expect(NewRecovery.binding(made, limit: 6, "c") != bound)
        #expect(NewRecovery.binding(salted, limit: 5, "c") != bound)
        #expect(NewRecovery.binding(changed, limit: 5, "c") != bound)
    }

    @Test("P-2: parameters outside of the bounds are refused before anything is derived or the chip is asked")
    func parameters() async {
        for parameters in [
            Argon2Parameters(memory: .max, passes: 1, lanes: 1),
            Argon2Parameters(memory: 64, passes: 0, lanes: 1),
        ] {
            let codes = await codes(record(parameters))
            #expect(codes.allSatisfy { $0 == .refusedParameters }, "\(codes)")
        }
    }

    @Test(
        "P-2: another format or algorithm, a salt of another size and bytes that are no seal are told apart"
    )
    func forms() async {
        for record in [record(format: 2), record(algorithm: "argon2id")] {
            let codes = await codes(record)
            #expect(codes.allSatisfy { $0 == .unknownAlgorithm }, "\(codes)")
        }
        for record in [record(salt: 15), record(salt: 17), record()] {
            let codes = await codes(record)
            #expect(codes.allSatisfy { $0 == .malformed }, "\(codes)")
        }
        #expect(!sealer.isRecoverable(record()))
    }

    /// A record that says how to reach its chip.
    private func record(at address: String) -> SealedKey {
        let object = Chip.Blob(publicArea: [2], privateArea: [3])
        let wrapped = [UInt8](repeating: 4, count: TPMSeal.wrappedSize)
        var seal = TPMSeal(
            address: address,
            storageName: [UInt8](repeating: 1, count: 34),
            index: .pinFail(TPMPlace.range.lowerBound + 1, policy: [UInt8](repeating: 2, count: 32)),
            limit: 5,
            object: object,
            recovery: TPMSeal.Recovery(
                parameters: cheap,
                salt: [UInt8](repeating: 3, count: 16),
                object: object,
                wrapped: wrapped
            )
        )
        seal.wrapped = wrapped
        var record = self.record()
        record.sealed = seal.bytes
        return record
    }

    @Test(
        "H-2: without an address of its own a sealer asks a chip that the record names only if it is this machine's",
        arguments: [
            ("device:/dev/tpm0", true), ("device:/dev/tpmrm0", true), ("device:/dev/tpmrm12", true),
            ("device", true), ("tabrmd", true),
            ("swtpm:host=203.0.113.1,port=2321", false), ("mssim:host=203.0.113.1", false),
            ("tabrmd:bus_type=session", false), ("cmd:nc 203.0.113.1 2321", false),
            ("device:/tmp/x", false), ("device:/dev/tpm", false), ("device:/dev/pts/1", false),
            ("device:/dev/tpm0/../pts/1", false), ("device:/dev/tpmx0", false), ("", false),
        ] as [(String, Bool)]
    )
    func recordedAddress(_ address: String, isUsed: Bool) async {
        let asked = Mutex<Set<String>>([])
        let sealer = TPMPasscodeSealer(TPMConfiguration(scope: [1], parameters: cheap)) {
            (address) throws(ChipFailure) in
            asked.withLock { _ = $0.insert(address.text) }
            throw ChipFailure(kind: .busy)
        }
        let (record, key) = (record(at: address), SecretBytes(randomCount: 32))
        var codes = await codes(record, sealer)
        let resealed = await #expect(throws: PasscodeSealerError.self) {
            try await sealer.reseal(record, holding: key, under: passcode, context: "c")
        }
        let settled = await #expect(throws: PasscodeSealerError.self) {
            try await sealer.settle([record], context: "c") { () throws(PasscodeSealerError) in [record] }
        }
        codes += [resealed?.code, settled?.code]
        let expected = isUsed ? PasscodeSealerError.Code.hardwareBusy : .hardwareMissing
        #expect(codes.allSatisfy { $0 == expected }, "\(codes)")
        let chips: Set<String> = isUsed ? [address] : []
        #expect(asked.withLock { $0 } == chips)
    }

    @Test(
        "H-1: an authorization is the HMAC-SHA256, under the first half of Argon2id's 64 bytes, of use and context",
        arguments: [
            // By libargon2 and Python's hmac, with a salt of 16 bytes of 7.
            (.passcode, "58532340a402088a357a500750cdf1e4faa5b4dcefc7c22eaf53d1547449e418"),
            (.recovery, "c8bbf7d546fc86aec7a6fcb2f41cb09f508f9c291560febd4450364ceb6deef9"),
        ] as [(SealSecrets.Use, String)]
    )
    func authorization(use: SealSecrets.Use, expected: String) throws {
        let salt = [UInt8](repeating: 7, count: 16)
        let secrets = try SealSecrets(use, passcode, salt: salt, cheap, context: "c")
        let found = secrets.authorization.withBytes { bytes in
            bytes.indices.map { (bytes[$0] < 16 ? "0" : "") + String(bytes[$0], radix: 16) }.joined()
        }
        #expect(found == expected)
    }

    @Test(
        "H-1: a record whose address is no text, or is too long for an address, is malformed",
        arguments: [(0xFF, 22_000), (0x61, 1025), (0xFF, 1)] as [(UInt8, Int)]
    )
    func unusableAddress(_ byte: UInt8, count: Int) throws {
        func bytes(at address: [UInt8], nameSize: Int = 34) -> [UInt8] {
            var wire = Wire(UInt8(1))
            wire.put(sized: address)
            wire.put(sized: [UInt8](repeating: 1, count: nameSize))
            wire.put(TPMPlace.range.lowerBound + 1)
            wire.put(sized: [UInt8](repeating: 2, count: 32))
            wire.put(UInt32(5))
            for part: [UInt8] in [[3], [4]] { wire.put(sized: part) }
            wire.put(UInt8(0))
            wire.put(raw: [UInt8](repeating: 5, count: TPMSeal.wrappedSize))
            return wire.bytes
        }
        let error = #expect(throws: PasscodeSealerError.self) {
            try TPMSeal(bytes(at: [UInt8](repeating: byte, count: count)))
        }
        #expect(error?.code == .malformed)
        for address in ["", "device:/dev/tpmrm0"] {
            #expect(try TPMSeal(bytes(at: Array(address.utf8))).address == address)
        }
        for nameSize in [33, 35] {
            let error = #expect(throws: PasscodeSealerError.self) {
                try TPMSeal(bytes(at: [], nameSize: nameSize))
            }
            #expect(error?.code == .malformed)
        }
    }
}
