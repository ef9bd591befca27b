internal import GoalLock
internal import PortcullisCore

/// Whose passcode guards App Lock. It is noted when the lock is switched on, because to name a user without a
/// passcode would be a way out otherwise.
enum FocusGuardian {
    /// The item that holds it: `guardian` of the device, apart from the lock's own state.
    private static var name: SecretName { SecretName(.device, in: .library("guardian")) }

    /// The user whose passcode is asked for.
    ///
    /// - Parameters:
    ///   - lock: what is guarded. One that is on, or cannot be read, has the guardian that was noted, or the device's.
    ///   - named: the user that was named; counts while the lock is off.
    ///   - store: holds the note.
    /// - Throws: `SecretStoreError`; ``ToolFailure``, ``ToolExit/damaged``, for a note that names no user.
    static func of(_ lock: GoalLockService, named: UserID, in store: any SecretStore) async throws -> UserID {
        let isOff: Bool
        do throws(GoalError) { isOff = try await !lock.status().isEnabled } catch { isOff = false }
        if isOff { return named }
        guard let item = try await store.read(name) else { return .device }
        guard let user = UserID(text(of: item.value)) else {
            throw ToolFailure("nobody knows whose passcode guards App Lock: the note names no user", .damaged)
        }
        return user
    }

    /// Notes it; for a lock that is off.
    static func note(_ user: UserID, in store: any SecretStore) async throws(SecretStoreError) {
        let value = SecretBytes(copying: Array(user.rawValue.utf8))
        if let item = try await store.read(name) {
            if text(of: item.value) == user.rawValue { return }
        } else if user == .device {
            return
        }
        _ = try await store.write(value, to: name, accessibility: .afterFirstUnlockThisDeviceOnly)
    }

    private static func text(of value: SecretBytes) -> String {
        value.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
