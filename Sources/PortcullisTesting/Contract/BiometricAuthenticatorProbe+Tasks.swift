internal import PortcullisCore

extension BiometricAuthenticatorProbe {
    func checkConcurrentEnrolments() async throws {
        let probe = self
        let users = (0..<16).map { Self.user("user-\($0)") }
        try await withThrowingTaskGroup { group in
            for (number, user) in users.enumerated() {
                group.addTask { @concurrent in
                    try await probe.authenticator.enroll(probe.key(UInt8(number)), for: user)
                }
            }
            try await group.waitForAll()
        }
        try await withThrowingTaskGroup { group in
            for user in users.suffix(8) {
                group.addTask { @concurrent in try await probe.authenticator.forget(user) }
            }
            try await group.waitForAll()
        }
        for (number, user) in users.enumerated() {
            if number < 8 {
                try await requireSuccess(user, key(UInt8(number)), "\(user) of many at once")
            } else {
                try await requireRefusal(user, "\(user), whose key was dropped with many at once")
            }
        }
    }

    func checkCancelledCalls() async throws {
        var kept: SecretBytes?
        for round in 0..<6 {
            let key = key(UInt8(round))
            if case .success = await cancelled(
                round,
                { probe in
                    try await probe.authenticator.enroll(key, for: probe.user)
                }
            ) {
                kept = key
            }
        }
        try await requireKept(kept, "calls of cancelled tasks that give a key")
        for round in 0..<4 {
            try await authenticator.enroll(key(), for: user)
            let result = await cancelled(round) { try await $0.authenticator.forget($0.user) }
            if case .success = result { kept = nil } else { kept = key() }
            try await requireKept(kept, "a call of a cancelled task that drops the key")
        }
    }

    private func requireKept(_ key: SecretBytes?, _ what: String) async throws {
        guard let key else { return try await requireRefusal(user, "after \(what)") }
        try await requireSuccess(user, key, "after \(what)")
    }

    /// Runs a call in a task that is cancelled, and returns the call's result. In even rounds the task is
    /// cancelled before the call, in odd rounds at an arbitrary time.
    private func cancelled(
        _ round: Int,
        _ call: @escaping @Sendable @concurrent (BiometricAuthenticatorProbe) async throws -> Void
    ) async -> Result<Void, any Error> {
        let task = Task { @concurrent [self] in
            if round % 2 == 0 { while !Task.isCancelled { await Task.yield() } }
            try await call(self)
        }
        task.cancel()
        return await task.result
    }
}
