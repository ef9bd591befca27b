internal import PortcullisCore

extension PasscodeAccountProbe {
    func checkCountsAll() async throws {
        try await begin()
        try expectWrong(try await account.verify(wrong), failures: 1, "verifying")
        let change = try await account.change(from: wrong, to: second, as: .random())
        try expectWrong(change, failures: 2, "changing")
        let off = try await account.update(.switchOff(current: wrong, revision: .random()))
        try expectWrong(off, failures: 3, "switching off")
    }

    func checkClearsCount() async throws {
        try await begin()
        for _ in 0..<2 {
            try expectWrong(try await account.verify(wrong), failures: 1, "a wrong passcode")
            try expectWrong(try await account.verify(wrong), failures: 2, "another wrong passcode")
            try await expect(right: first)
        }
    }

    func checkThrottles() async throws {
        try await begin()
        var delay = Duration.zero
        // The server chooses its delays, but a delay must begin after at most 20 wrong passcodes.
        for _ in 0..<20 where delay == .zero {
            guard case .wrong(_, let retryAfter) = try await account.verify(wrong) else {
                throw Finding("a wrong passcode was not wrong")
            }
            delay = retryAfter
        }
        try require(delay > .zero, "twenty wrong passcodes led to no delay")
        for passcode in [first, wrong] {
            let left: Duration?
            do throws(PasscodeAccountError) {
                _ = try await account.verify(passcode)
                left = nil
            } catch {
                try requireEqual(error.code, .throttled, "the code during a delay")
                left = error.retryAfter
            }
            guard let left, left > .zero, left <= delay else {
                throw Finding("a delay of \(delay) is not told, or a passcode was looked at in it")
            }
        }
        guard let advance = place.advance else { return }
        try await advance(delay)
        try await expect(right: first)
    }

    func checkCountsConcurrent() async throws {
        try await begin()
        let (account, wrong) = (account, wrong)
        let outcomes = try await withThrowingTaskGroup(of: AccountVerifyOutcome.self) { group in
            for _ in 0..<4 { group.addTask { try await account.verify(wrong) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let counts = outcomes.compactMap { outcome -> Int? in
            if case .wrong(let failures, _) = outcome { failures } else { nil }
        }
        try requireEqual(counts.sorted(), [1, 2, 3, 4], "the counts of four wrong passcodes")
    }

    // MARK: Codes

    /// A code from the mail, and the request that the code belongs to.
    private struct Mailed {
        var code: SecretBytes
        var request: AccountCodeRequest

        /// A code that differs from the mailed code.
        var wrongCode: SecretBytes {
            code.withBytes { bytes in
                SecretBytes(copying: bytes.indices.map { 0x30 + (bytes[$0] - 0x30 + 1) % 10 })
            }
        }
    }

    /// Requests a code and reads it from the mail.
    private func mailed() async throws -> Mailed {
        guard let mailedCode = place.mailedCode else { throw Finding("mail cannot be read") }
        let request = try await account.requestReset()
        let code = try await mailedCode()
        let isFine = code.withBytes { bytes in
            bytes.count == 6 && bytes.indices.allSatisfy { (0x30...0x39).contains(bytes[$0]) }
        }
        try require(isFine, "a code is not six digits")
        return Mailed(code: code, request: request)
    }

    private func expectNoReset(
        _ code: SecretBytes,
        of request: AccountCodeRequest,
        _ what: String
    ) async throws {
        let outcome = try await account.reset(code: code, of: request, to: second, as: .random())
        try require(outcome != .reset, "\(what) set a passcode")
    }

    func checkResets() async throws {
        try await begin()
        for _ in 0..<3 { _ = try await account.verify(wrong) }
        let mail = try await mailed()
        let revision = AccountRevision.random()
        for _ in 0..<2 {
            let outcome = try await account.reset(
                code: mail.code,
                of: mail.request,
                to: second,
                as: revision
            )
            try requireEqual(outcome, .reset, "a reset with the mailed code")
        }
        try requireEqual(try await account.status().revision, revision, "the revision")
        try expectWrong(try await account.verify(first), failures: 1, "the old passcode")
        try await expect(right: second)
    }

    func checkRefusesCode() async throws {
        let status = try await begin()
        let guess = SecretBytes(copying: "000000".utf8)
        try await expectNoReset(guess, of: .random(), "a code before any was mailed")
        let mail = try await mailed()
        try await expectNoReset(mail.wrongCode, of: mail.request, "a code that was not mailed")
        try await expectStatus(status)
        try await expect(right: first, wrong: second)
    }

    func checkCodeOnce() async throws {
        try await begin()
        let mail = try await mailed()
        let outcome = try await account.reset(
            code: mail.code,
            of: mail.request,
            to: first,
            as: .random()
        )
        try requireEqual(outcome, .reset, "a reset with the mailed code")
        try await expectNoReset(mail.code, of: mail.request, "a used code")
        try await expect(right: first, wrong: second)
    }

    func checkCodeTries() async throws {
        try await begin()
        let mail = try await mailed()
        for _ in 0..<5 {
            try await expectNoReset(mail.wrongCode, of: mail.request, "a code that was not mailed")
        }
        try await expectNoReset(mail.code, of: mail.request, "a code that was tried five times")
        try await expect(right: first, wrong: second)
    }

    func checkCodeExpires() async throws {
        guard let advance = place.advance else { return }
        try await begin()
        let mail = try await mailed()
        try await advance(.seconds(15 * 60))
        try await expectNoReset(mail.code, of: mail.request, "a code of fifteen minutes ago")
        try await expect(right: first, wrong: second)
    }

    func checkCodeReplaced() async throws {
        try await begin()
        let earlier = try await mailed()
        var later = try await mailed()
        // In one of a million runs the two codes are equal. The check then requests another code.
        if later.code.matches(earlier.code) { later = try await mailed() }
        try require(later.request != earlier.request, "two requests have the same name")
        try await expectNoReset(earlier.code, of: later.request, "the code of another request")
        try await expectNoReset(later.code, of: .random(), "a code with a request that is not known")
        let outcome = try await account.reset(
            code: later.code,
            of: later.request,
            to: second,
            as: .random()
        )
        try requireEqual(outcome, .reset, "a reset with the last code")
    }

    func checkLimitsRequests() async throws {
        try await begin()
        for _ in 0..<20 {
            do throws(PasscodeAccountError) {
                _ = try await account.requestReset()
            } catch {
                try requireEqual(error.code, .throttled, "the code of too many requests")
                guard let left = error.retryAfter, left > .zero else {
                    throw Finding("too many requests do not say how long to wait")
                }
                return
            }
        }
        throw Finding("twenty requests for a code were all taken")
    }

    func checkConcurrentResets() async throws {
        try await begin()
        let (account, second) = (account, second)
        let mail = try await mailed()
        let outcomes = try await withThrowingTaskGroup(of: AccountResetOutcome?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(PasscodeAccountError) {
                        return try await account.reset(
                            code: mail.code,
                            of: mail.request,
                            to: second,
                            as: .random()
                        )
                    } catch {
                        // Because many requests come at once, a server may refuse some of them with one of
                        // these errors.
                        if error.code == .throttled || error.code == .serverFailure { return nil }
                        throw error
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try requireEqual(outcomes.count { $0 == .reset }, 1, "the resets that took place")
        try await expect(right: second)
    }
}
