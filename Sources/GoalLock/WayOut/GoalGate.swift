internal import AdapterKit
public import PortcullisCore

/// What stands before the ways out of the goal lock: the passcode of its guardian.
///
/// The guardian is the user whose passcode is asked for. It is noted in the store while the lock is off, and the lock
/// keeps it while it is on, because to name a user without a passcode would be a way out otherwise. The check itself is
/// the host's, which has the passcode lock: <doc:EmbeddingAGoalLock> shows it.
public struct GoalGate: Sendable {
    /// Asks for the passcode of a user before a change; returns where it is right or none is set, and throws otherwise.
    public typealias Check = @Sendable (_ guardian: UserID, _ change: GoalLoosening) async throws -> Void

    private let service: GoalLockService
    private let user: UserID
    private let check: Check
    private let note: StoredValue<String, GoalError>

    /// A gate before a lock.
    ///
    /// - Parameters:
    ///   - service: the lock.
    ///   - user: who guards the lock while it is off, and from when it is switched on.
    ///   - check: asks for the passcode.
    public init(_ service: GoalLockService, user: UserID = .device, check: @escaping Check) {
        self.service = service
        self.user = user
        self.check = check
        note = StoredValue(
            GoalNames.guardian,
            in: service.backends.secrets,
            coding: .init(
                encode: { text throws(GoalError) in SecretBytes(copying: Array(text.utf8)) },
                decode: { value throws(GoalError) in Self.text(of: value) },
                failed: { GoalError($0) }
            )
        )
    }

    /// The user whose passcode is asked for.
    ///
    /// - Throws: ``GoalErrorCode/damagedGuardian``, ``GoalErrorCode/store``; the way out then stays shut.
    public func guardian() async throws(GoalError) -> UserID { try await guardian(of: await status()) }

    /// Notes the user as the guardian of a lock that is off; one that is on, or cannot be read, keeps its own.
    ///
    /// Call it before the lock is switched on.
    ///
    /// - Returns: who guards the lock.
    /// - Throws: ``GoalErrorCode/damagedGuardian``, ``GoalErrorCode/store``.
    @discardableResult
    public func appoint() async throws(GoalError) -> UserID {
        let status = await status()
        let guardian = try await guardian(of: status)
        guard status?.isEnabled == false else { return guardian }
        _ = try await note.update { noted throws(GoalError) -> StoredValue<String, GoalError>.Change<Void> in
            Guardian.isNews(guardian, noted: noted) ? .write(guardian.rawValue, ()) : .keep(())
        }
        return guardian
    }

    /// Lets a request through: at once where it loosens nothing, else after the check. The request itself is the
    /// caller's to carry out.
    ///
    /// - Throws: what the check throws; ``GoalError`` where the guardian cannot be read.
    public func pass(_ request: GoalRequest) async throws {
        let status = await status()
        let loosening = GoalLoosening(of: request, from: status)
        guard !loosening.isEmpty else { return }
        try await check(try await guardian(of: status), loosening)
    }

    /// The way out: ``GoalLockService/release()`` after the check, which a lock that is off is asked for too: what was
    /// stopped for it may still be.
    ///
    /// - Throws: what the check throws, and ``GoalError``.
    public func release() async throws {
        let status = await status()
        try await check(
            try await guardian(of: status),
            GoalLoosening(of: GoalRequest(switchesOff: true), from: status)
        )
        try await service.release()
    }

    /// The lock; `nil` where it cannot be read.
    private func status() async -> GoalStatus? {
        do throws(GoalError) { return try await service.status() } catch { return nil }
    }

    private func guardian(of status: GoalStatus?) async throws(GoalError) -> UserID {
        guard Guardian.isNoted(in: status) else { return user }
        return try Guardian.of(status, named: user, noted: try await note.read()?.value)
    }

    private static func text(of value: SecretBytes) -> String {
        value.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}

/// The rules about who guards a lock.
package enum Guardian: Sendable {
    /// Whether the note of the guardian counts. It does while the lock is on, and where the lock cannot be read.
    package static func isNoted(in status: GoalStatus?) -> Bool { status?.isEnabled != false }

    /// The guardian.
    ///
    /// - Parameters:
    ///   - status: the lock; `nil`: it cannot be read.
    ///   - named: the user that the host names, who counts while the lock is off.
    ///   - noted: what the note holds; `nil`: there is none, and the device's passcode counts.
    /// - Throws: ``GoalErrorCode/damagedGuardian`` for a note that counts and names no user.
    package static func of(
        _ status: GoalStatus?,
        named: UserID,
        noted: String?
    ) throws(GoalError) -> UserID {
        guard isNoted(in: status) else { return named }
        guard let noted else { return .device }
        guard let user = UserID(noted) else {
            throw GoalError(
                code: .damagedGuardian,
                message: "it is not known whose passcode guards App Lock: the note names no user"
            )
        }
        return user
    }

    /// Whether a guardian has to be noted: without a note it is the device's.
    package static func isNews(_ guardian: UserID, noted: String?) -> Bool {
        guardian.rawValue != noted ?? UserID.device.rawValue
    }
}
