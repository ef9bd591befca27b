internal import PortcullisCore

extension PasscodeSealerProbe {
    func checkReady() async throws {
        let sealed = try await seal()
        for _ in 0..<50 { try await expectReadiness(.ready, of: sealed, "a fresh seal") }
        try await expectOpens(sealed, "the passcode after the questions")
        try await expectReadiness(.ready, of: sealed, "a seal that was opened")
    }

    func expectReadiness(_ expected: SealReadiness, of sealed: SealedKey, _ what: String) async throws {
        let readiness = try await sealer.readiness(of: sealed, context: context)
        try requireEqual(readiness, expected, "the readiness of \(what)")
    }

    func checkConcurrentCalls() async throws {
        let (sealer, context) = (sealer, context)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let key = SecretBytes(copying: [UInt8](repeating: UInt8(number), count: 32))
                    let passcode = SecretBytes(copying: "passcode \(number)".utf8)
                    let other = SecretBytes(copying: "passcode \(number + 1)".utf8)
                    let context = "\(context) \(number)"
                    let sealed = try await sealer.seal(key, under: passcode, context: context)
                    let opened = try await sealer.open(sealed, with: passcode, context: context)
                    guard case .opened(let found) = opened, found.matches(key) else {
                        throw Finding("a passcode among others: expected its key, was \(opened.name)")
                    }
                    let opening = try await sealer.open(sealed, with: other, context: context)
                    try requireEqual(
                        opening.name,
                        SealOpening.wrongPasscode.name,
                        "opening with the passcode of another task"
                    )
                }
            }
            try await group.waitForAll()
        }
    }

    func checkCancelledCalls() async throws {
        let sealed = try await seal()
        let (sealer, passcode, context) = (sealer, passcode, context)
        for round in 0..<8 {
            let call = Task { @concurrent in
                if round % 2 == 0 { while !Task.isCancelled { await Task.yield() } }
                return try await sealer.open(sealed, with: passcode, context: context).name
            }
            call.cancel()
            do {
                try requireEqual(try await call.value, "the key", "opening by a cancelled task")
            } catch let error as PasscodeSealerError {
                try requireEqual(error.code, .cancelled, "the code for a cancelled task")
            }
        }
        try await expectOpens(sealed, "the passcode afterwards")
    }

    func checkAnother() async throws {
        guard let another = place.another else { return }
        let sealed = try await seal()
        try await expectOpens(sealed, by: try await another(), "by another instance")
    }

    // MARK: Hardware

    func checkTriesExhausted() async throws {
        guard let limit = place.tryLimit else { return }
        let sealed = try await seal()
        // The other key belongs to another user, because a sealer may have one count of wrong passcodes for
        // all keys of one user.
        let others = "contract.other"
        let other = try await sealer.seal(key, under: passcode, context: others)
        for number in 1...limit {
            try await expectReadiness(.ready, of: sealed, "a seal before try \(number)")
            let opening = try await sealer.open(sealed, with: wrong, context: context)
            try requireEqual(opening.name, SealOpening.wrongPasscode.name, "wrong passcode \(number)")
        }
        try await expectReadiness(.triesExhausted, of: sealed, "a seal at the limit")
        for passcode in [passcode, wrong] {
            let opening = try await sealer.open(sealed, with: passcode, context: context)
            try requireEqual(opening.name, SealOpening.triesExhausted.name, "a passcode at the limit")
        }
        try requireEqual(
            try await sealer.readiness(of: other, context: others),
            .ready,
            "the readiness of another user's seal"
        )
        let opening = try await sealer.open(other, with: passcode, context: others)
        try requireEqual(opening.name, "the key", "another user's passcode")
    }

    func checkRightResets() async throws {
        guard let limit = place.tryLimit else { return }
        let sealed = try await seal()
        for _ in 0..<3 {
            for _ in 1..<limit { _ = try await sealer.open(sealed, with: wrong, context: context) }
            try await expectOpens(sealed, "the passcode at the last try")
        }
    }

    func checkConcurrentTries() async throws {
        guard let limit = place.tryLimit else { return }
        let sealed = try await seal()
        let (sealer, wrong, context) = (sealer, wrong, context)
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<limit + 8 {
                group.addTask { @concurrent in
                    try await sealer.open(sealed, with: wrong, context: context).name
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let tried = names.count { $0 == SealOpening.wrongPasscode.name }
        try requireEqual(tried, limit, "the wrong passcodes that were tried")
        let opening = try await sealer.open(sealed, with: passcode, context: context)
        try requireEqual(opening.name, SealOpening.triesExhausted.name, "the passcode at the limit")
    }

    func checkCountIsShared() async throws {
        guard let limit = place.tryLimit, let another = place.another else { return }
        let sealed = try await seal()
        for number in 1...limit {
            let next = number.isMultiple(of: 2) ? sealer : try await another()
            _ = try await next.open(sealed, with: wrong, context: context)
        }
        for next in [sealer, try await another()] {
            let readiness = try await next.readiness(of: sealed, context: context)
            try requireEqual(readiness, .triesExhausted, "the readiness at the limit")
            let opening = try await next.open(sealed, with: passcode, context: context)
            try requireEqual(opening.name, SealOpening.triesExhausted.name, "the passcode at the limit")
        }
    }

    func checkMissing() async throws {
        guard let setMissing = place.setMissing else { return }
        let sealed = try await seal()
        try await setMissing(true)
        for passcode in Array(repeating: wrong, count: place.tryLimit ?? 2) + [passcode] {
            try await expectOfHardware("the question") { () throws(PasscodeSealerError) in
                _ = try await sealer.readiness(of: sealed, context: context)
            }
            try await expectOfHardware("a try") { () throws(PasscodeSealerError) in
                _ = try await sealer.open(sealed, with: passcode, context: context)
            }
        }
        try await expectOfHardware("sealing") { () throws(PasscodeSealerError) in
            _ = try await sealer.seal(key, under: passcode, context: context)
        }
        try await setMissing(false)
        try await expectReadiness(.ready, of: sealed, "a seal whose hardware is back")
        try await expectOpens(sealed, "the passcode once the hardware is back")
    }

    private func expectOfHardware(
        _ what: String,
        _ call: () async throws(PasscodeSealerError) -> Void
    ) async throws {
        do throws(PasscodeSealerError) {
            try await call()
        } catch {
            try require(
                PasscodeSealerErrorCode.ofHardware.contains(error.code),
                "\(what) without hardware: \(error.code) is no code of hardware"
            )
            return
        }
        throw Finding("\(what) without hardware did not throw")
    }
}
