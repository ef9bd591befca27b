internal import PortcullisCore

/// A sealer, with the functions that check the sealer for each clause.
struct PasscodeSealerProbe: Sendable {
    let place: PasscodeSealerSubject.Place
    let key = SecretBytes(randomCount: 32)
    let passcode = SecretBytes(copying: "834912".utf8)
    let wrong = SecretBytes(copying: "270954".utf8)
    let context = "contract"

    init(_ place: PasscodeSealerSubject.Place) { self.place = place }

    var sealer: any PasscodeSealer { place.sealer }

    func seal(_ key: SecretBytes? = nil, under passcode: SecretBytes? = nil) async throws -> SealedKey {
        try await sealer.seal(key ?? self.key, under: passcode ?? self.passcode, context: context)
    }

    /// Requires that a passcode opens the sealed key.
    func expectOpens(
        _ sealed: SealedKey,
        with passcode: SecretBytes? = nil,
        by sealer: (any PasscodeSealer)? = nil,
        to key: SecretBytes? = nil,
        _ what: String
    ) async throws {
        let opening = try await (sealer ?? self.sealer).open(
            sealed,
            with: passcode ?? self.passcode,
            context: context
        )
        guard case .opened(let opened) = opening else {
            throw Finding("\(what): expected the key, was \(opening.name)")
        }
        try require(opened.matches(key ?? self.key), "\(what): another key came back")
    }

    /// Requires that the sealer reports a passcode as wrong. On hardware, this method first opens the key
    /// with the right passcode. This resets the count of wrong passcodes, so the limit is not reached.
    func expectWrong(_ sealed: SealedKey, with passcode: SecretBytes, _ what: String) async throws {
        try await giveTriesBack(sealed)
        let opening = try await sealer.open(sealed, with: passcode, context: context)
        try requireEqual(opening.name, SealOpening.wrongPasscode.name, what)
    }

    /// Requires that a call fails with this code.
    func expectFailure(
        _ code: PasscodeSealerError.Code,
        of what: String,
        _ call: () async throws(PasscodeSealerError) -> Void
    ) async throws {
        do throws(PasscodeSealerError) {
            try await call()
        } catch {
            try requireEqual(error.code, code, "the code of \(what)")
            return
        }
        throw Finding("\(what) did not throw")
    }

    /// Opens the key with the right passcode, which resets the hardware's count of wrong passcodes. Without
    /// hardware this method does nothing.
    private func giveTriesBack(_ sealed: SealedKey) async throws {
        if place.tryLimit != nil { try await expectOpens(sealed, "the untouched record") }
    }

    /// Requires that a record does not open: the sealer throws an error, or returns an outcome without the
    /// key. On hardware, this method first opens `sealed`, the unaltered record, to reset the count of wrong
    /// passcodes.
    func expectNoKey(
        _ record: SealedKey,
        in context: String? = nil,
        of sealed: SealedKey,
        _ what: String
    ) async throws {
        try await giveTriesBack(sealed)
        let opening: SealOpening?
        do throws(PasscodeSealerError) {
            opening = try await sealer.open(record, with: passcode, context: context ?? self.context)
        } catch {
            opening = nil
        }
        try requireNoKey(opening, what)
    }

    /// Requires that a call did not return the key. The outcome of a call that threw is `nil`.
    func requireNoKey(_ opening: SealOpening?, _ what: String) throws {
        if case .opened = opening { throw Finding("\(what): it opened") }
    }
}

extension SealOpening {
    /// The name of the outcome, without the key.
    var name: String {
        switch self {
        case .opened: "the key"
        case .wrongPasscode: "a wrong passcode"
        case .triesExhausted: "exhausted tries"
        }
    }
}

// MARK: Passcodes

extension PasscodeSealerProbe {
    func checkOpens() async throws {
        for key in [key, SecretBytes(copying: [UInt8](repeating: 0, count: 32))] {
            let sealed = try await seal(key)
            for _ in 0..<2 { try await expectOpens(sealed, to: key, "the passcode") }
        }
    }

    func checkWrongPasscode() async throws {
        let sealed = try await seal()
        for text in ["834913", "934912", "83491", "8349120", "219438", " 834912", "834912\n"] {
            let passcode = SecretBytes(copying: text.utf8)
            try await expectWrong(sealed, with: passcode, "opening with another passcode")
        }
        try await expectOpens(sealed, "the passcode after wrong ones")
    }

    func checkAnyBytes() async throws {
        let passcodes: [[UInt8]] = [
            [0], [0, 0], [0, 1], [1, 0], [0xFF], [0xFE], [0xC3], [0xC3, 0xA9], [0x65, 0xCC, 0x81], [0x0A],
        ]
        for bytes in passcodes {
            let sealed = try await seal(under: SecretBytes(copying: bytes))
            try await expectOpens(sealed, with: SecretBytes(copying: bytes), "the passcode \(bytes)")
            for other in passcodes where other != bytes {
                let opening = try await sealer.open(
                    sealed,
                    with: SecretBytes(copying: other),
                    context: context
                )
                try requireEqual(
                    opening.name,
                    SealOpening.wrongPasscode.name,
                    "opening what \(bytes) sealed with \(other)"
                )
                guard place.tryLimit != nil else { continue }
                try await expectOpens(sealed, with: SecretBytes(copying: bytes), "the passcode \(bytes)")
            }
        }
    }

    func checkLongest() async throws {
        let bytes = (0..<1_024).map { UInt8(truncatingIfNeeded: $0) }
        let longest = SecretBytes(copying: bytes)
        let sealed = try await seal(under: longest)
        try await expectOpens(sealed, with: longest, "a passcode of 1,024 bytes")
        for index in [0, 511, 1_023] {
            var other = bytes
            other[index] ^= 1
            let opening = try await sealer.open(sealed, with: SecretBytes(copying: other), context: context)
            try requireEqual(
                opening.name,
                SealOpening.wrongPasscode.name,
                "opening with another byte \(index)"
            )
            try await expectOpens(sealed, with: longest, "a passcode of 1,024 bytes")
        }
        for other in [[], bytes + [0]] {
            let (count, other) = (other.count, SecretBytes(copying: other))
            try await expectFailure(.malformed, of: "sealing under \(count) bytes") {
                () throws(PasscodeSealerError) in
                _ = try await sealer.seal(key, under: other, context: context)
            }
            try await expectFailure(.malformed, of: "opening with \(count) bytes") {
                () throws(PasscodeSealerError) in
                _ = try await sealer.open(sealed, with: other, context: context)
            }
        }
    }

    func checkLegacy() async throws {
        try require(try await sealer.matches(passcode, place.legacy), "the passcode does not fit its hash")
        try require(try await !sealer.matches(wrong, place.legacy), "another passcode fits the hash")
        var salted = place.legacy
        salted.salt += "A"
        try require(
            try await !sealer.matches(passcode, salted),
            "the passcode fits the hash with another salt"
        )
    }

    /// Whether the sealer supports hashes of older apps.
    func knowsLegacy() async throws -> Bool {
        do throws(PasscodeSealerError) {
            _ = try await sealer.matches(passcode, place.legacy)
            return true
        } catch {
            guard error.code == .unknownAlgorithm else { throw error }
            return false
        }
    }
}
