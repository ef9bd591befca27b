internal import PortcullisCore

extension PasscodeSealerProbe {
    func checkBindsContext() async throws {
        let sealed = try await seal()
        for other in ["", "contracts", "Contract", "contract\0"] {
            try await expectNoKey(
                sealed,
                in: other,
                of: sealed,
                "a record in the context \(other.debugDescription)"
            )
        }
        try await expectOpens(sealed, "the passcode in its context")
    }

    func checkBindsRecord() async throws {
        let sealed = try await seal()
        // Tries on hardware are slow. On hardware the check therefore alters only every seventh byte.
        let step = place.tryLimit == nil ? 1 : 7
        for index in stride(from: 0, to: sealed.sealed.count, by: step) + [sealed.sealed.count - 1] {
            var altered = sealed
            altered.sealed[index] ^= 1
            try await expectNoKey(altered, of: sealed, "a record with another byte \(index)")
        }
        for index in stride(from: 0, to: sealed.salt.count, by: step) {
            var altered = sealed
            altered.salt[index] ^= 0x80
            try await expectNoKey(altered, of: sealed, "a record with another salt")
        }
        let changes: [(String, @Sendable (inout Argon2Parameters) -> Void)] = [
            ("memory", { $0.memory += 8 }), ("passes", { $0.passes += 1 }), ("lanes", { $0.lanes += 1 }),
        ]
        for (what, change) in changes {
            var altered = sealed
            change(&altered.parameters)
            guard altered.parameters.isSane else { continue }
            try await expectNoKey(altered, of: sealed, "a record with another number of \(what)")
        }
        try await expectOpens(sealed, "the record as it was")
    }

    func checkFreshSeals() async throws {
        let (one, other) = (try await seal(), try await seal())
        try require(one.salt != other.salt, "two seals have the same salt")
        try require(one.sealed != other.sealed, "two seals have the same content")
        for sealed in [one, other] {
            try requireEqual(sealed.salt.count, 16, "the size of a salt")
            try await expectOpens(sealed, "either seal")
            let shows = key.withBytes { bytes in
                let key = bytes.indices.map { bytes[$0] }
                return sealed.sealed.indices.contains { sealed.sealed[$0...].starts(with: key) }
            }
            try require(!shows, "the key can be read in what is sealed")
        }
    }

    func checkRecordsParameters() async throws {
        let sealed = try await seal()
        try requireEqual(sealed.parameters, sealer.parameters, "the parameters")
        try await expectOpens(sealed, "a seal with these parameters")
    }

    // MARK: Refusals

    func checkRefusesKeys() async throws {
        for size in [0, 31, 33, 64] {
            let key = SecretBytes(copying: [UInt8](repeating: 7, count: size))
            try await expectFailure(.malformed, of: "sealing \(size) bytes") {
                () throws(PasscodeSealerError) in
                _ = try await sealer.seal(key, under: passcode, context: context)
            }
        }
    }

    func checkRefusesParameters() async throws {
        let sealed = try await seal()
        let insane = [
            Argon2Parameters(memory: .max, passes: 1, lanes: 1),
            Argon2Parameters(memory: 7, passes: 1, lanes: 1),
            Argon2Parameters(memory: 8, passes: 1, lanes: 2),
            Argon2Parameters(memory: 64, passes: 0, lanes: 1),
            Argon2Parameters(memory: 64, passes: 33, lanes: 1),
            Argon2Parameters(memory: 64, passes: 1, lanes: 0),
            Argon2Parameters(memory: 1_024, passes: 1, lanes: 17),
        ]
        for parameters in insane {
            var altered = sealed
            altered.parameters = parameters
            try await expectRefused(.refusedParameters, altered, "a record with \(parameters)")
        }
        try await expectOpens(sealed, "the record as it was")
    }

    func checkRefusesStrangers() async throws {
        let sealed = try await seal()
        var foreign = sealed
        foreign.algorithm = "contract"
        try await expectRefused(.unknownAlgorithm, foreign, "a record of another algorithm")
        for format in [0, 2, -1] {
            var newer = sealed
            newer.format = format
            try await expectRefused(.unknownAlgorithm, newer, "a record of layout \(format)")
        }
        try await expectOpens(sealed, "the record as it was")
    }

    func checkRefusesShapes() async throws {
        let sealed = try await seal()
        let changes: [(String, @Sendable (inout SealedKey) -> Void)] = [
            ("a salt of 15 bytes", { $0.salt.removeLast() }), ("a salt of 17 bytes", { $0.salt.append(0) }),
            ("no salt", { $0.salt = [] }), ("a byte less", { $0.sealed.removeLast() }),
            ("a byte more", { $0.sealed.append(0) }), ("nothing sealed", { $0.sealed = [] }),
        ]
        for (what, change) in changes {
            var altered = sealed
            change(&altered)
            try await expectRefused(.malformed, altered, "a record with \(what)")
        }
        try await expectOpens(sealed, "the record as it was")
    }

    private func expectRefused(
        _ code: PasscodeSealerError.Code,
        _ record: SealedKey,
        _ what: String
    ) async throws {
        try await expectFailure(code, of: what) { () throws(PasscodeSealerError) in
            _ = try await sealer.open(record, with: passcode, context: context)
        }
    }
}
