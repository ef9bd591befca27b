internal import AdapterKit
public import PortcullisCore

/// Asks for the guardian's passcode before the goal lock is loosened.
///
/// The guardian is the user whose passcode is asked for. Another guardian can be stored only while the lock
/// is off, at the latest in the step that switches it on. Otherwise a person could loosen the lock by naming
/// a user without a passcode. The host asks for the passcode in a closure, because the passcode lock belongs
/// to the host. See <doc:EmbeddingAGoalLock>.
public struct GoalGate: Sendable {
    /// Asks for a user's passcode before a change. The function returns if the passcode is correct or the
    /// user has no passcode. Otherwise it throws.
    public typealias Check = @Sendable (_ guardian: UserID, _ change: GoalLoosening) async throws -> Void

    private let service: GoalLockService
    private let user: UserID
    private let check: Check
    private let item: StoredValue<String, GoalError>

    /// Makes a gate for a lock.
    ///
    /// - Parameters:
    ///   - service: the lock.
    ///   - user: the user whose passcode the gate asks for while the lock is off. ``appoint()`` and
    ///     ``enable()`` store this user. While the lock is on, the stored user is the guardian, whatever is
    ///     passed here.
    ///   - check: asks for the passcode.
    public init(_ service: GoalLockService, user: UserID = .device, check: @escaping Check) {
        self.service = service
        self.user = user
        self.check = check
        item = StoredValue(
            GoalNames.guardian,
            in: service.backends.secrets,
            coding: .init(
                encode: { text throws(GoalError) in SecretBytes(copying: Array(text.utf8)) },
                decode: { value throws(GoalError) in Self.text(of: value) },
                failed: { GoalError($0) }
            )
        )
    }

    /// Reads the guardian, the user whose passcode is asked for.
    ///
    /// - Throws: ``GoalErrorCode/damagedGuardian``, ``GoalErrorCode/store``. While the guardian cannot be
    ///   read, this gate refuses every change that loosens the lock.
    public func guardian() async throws(GoalError) -> UserID { try await guardian(of: await status()) }

    /// Stores the user as the guardian of a lock that is off. A lock that is on or cannot be read keeps its
    /// guardian.
    ///
    /// As long as the lock is off, another process may store another user. ``enable()`` makes the user the
    /// guardian in the same step that switches the lock on.
    ///
    /// - Returns: the guardian of the lock.
    /// - Throws: ``GoalErrorCode/damagedGuardian``, ``GoalErrorCode/store``.
    @discardableResult
    public func appoint() async throws(GoalError) -> UserID {
        let status = await status()
        let guardian = try await guardian(of: status)
        if status?.isEnabled == false { try await note(guardian) }
        return guardian
    }

    /// Stores a user as the guardian in the item ``GoalNames/guardian``.
    private func note(_ guardian: UserID) async throws(GoalError) {
        _ = try await item.update { noted throws(GoalError) -> StoredValue<String, GoalError>.Change<Void> in
            Guardian.isNews(guardian, noted: noted) ? .write(guardian.rawValue, ()) : .keep(())
        }
    }

    /// Switches the lock on as ``GoalLockService/enable()`` does. If the lock is off, the gate's user becomes
    /// the guardian in the same step. A lock that another process has switched on keeps its guardian.
    ///
    /// - Throws: ``GoalErrorCode/damagedGuardian``, or the errors of ``GoalLockService/enable()``.
    public func enable() async throws(GoalError) -> EnableOutcome {
        try await appoint()
        let outcome = try await service.enable(guardian: user)
        // If the gate cannot read the lock's state, the gate takes the guardian from the item. So the item
        // must name the same guardian as the state. Another process may have stored another user in the item
        // before the lock was switched on. Here the item gets the state's guardian.
        if case .enabled(let status) = outcome, let guardian = status.guardian.flatMap(UserID.init) {
            // The lock is on, and its state names the guardian. So the call succeeds even if this write
            // fails.
            try? await note(guardian)
        }
        return outcome
    }

    /// Checks a request. The call returns at once if the request loosens nothing, otherwise after the
    /// passcode check has succeeded. The caller then carries the request out.
    ///
    /// Another process may change the lock while the person enters the passcode. If the guardian or the list
    /// of loosening changes is then a different one, the check is made again.
    ///
    /// - Throws: the errors of the check; ``GoalError`` when the guardian cannot be read.
    public func pass(_ request: GoalRequest) async throws {
        try await check(request) { !$0.isEmpty }
    }

    /// Releases the lock with ``GoalLockService/release()`` after the check.
    ///
    /// The check is also made while the lock is off. Programs that the lock stopped earlier may still be
    /// stopped then, and the release lets them continue. If another process switches the lock on during the
    /// check, the check is made again, as in ``pass(_:)``.
    ///
    /// - Throws: the errors of the check, and ``GoalError``.
    public func release() async throws {
        try await check(GoalRequest(switchesOff: true)) { _ in true }
        try await service.release()
    }

    /// A passcode check that the host is asked for: whose passcode, and before which changes.
    private struct Question: Equatable {
        var guardian: UserID
        var loosening: GoalLoosening
    }

    /// Makes the check, and repeats it if the guardian or the list of loosening changes is a different one
    /// afterwards. Another process may change both while the person enters the passcode.
    private func check(_ request: GoalRequest, where isAsked: (GoalLoosening) -> Bool) async throws {
        var permitted: Question?
        while true {
            let status = await status()
            let loosening = GoalLoosening(of: request, from: status)
            guard isAsked(loosening) else { return }
            let question = Question(guardian: try await guardian(of: status), loosening: loosening)
            if question == permitted { return }
            try await check(question.guardian, question.loosening)
            permitted = question
        }
    }

    /// Reads the lock's status; `nil`: it cannot be read.
    private func status() async -> GoalStatus? {
        do throws(GoalError) { return try await service.status() } catch { return nil }
    }

    private func guardian(of status: GoalStatus?) async throws(GoalError) -> UserID {
        guard Guardian.isNoted(in: status) else { return user }
        // The item is read only if the status names no guardian, because an unreadable item makes the call
        // throw.
        let noted = status?.guardian == nil ? try await item.read()?.value : nil
        return try Guardian.of(status, named: user, noted: noted)
    }

    private static func text(of value: SecretBytes) -> String {
        value.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}

/// The rules about the guardian of a lock.
package enum Guardian: Sendable {
    /// Whether the stored guardian is in force. It is in force while the lock is on, and while the lock
    /// cannot be read.
    package static func isNoted(in status: GoalStatus?) -> Bool { status?.isEnabled != false }

    /// Returns the guardian of a lock.
    ///
    /// - Parameters:
    ///   - status: the lock's status; `nil`: it cannot be read.
    ///   - named: the user that the host names. This user is the guardian while the lock is off.
    ///   - noted: the text of the item ``GoalNames/guardian``. It counts if the status names no guardian.
    ///     `nil`: there is no item, and the guardian is the device's user.
    /// - Throws: ``GoalErrorCode/damagedGuardian`` if the stored guardian is in force and its text is not a
    ///   valid user id.
    package static func of(
        _ status: GoalStatus?,
        named: UserID,
        noted: String?
    ) throws(GoalError) -> UserID {
        guard isNoted(in: status) else { return named }
        guard let text = status?.guardian ?? noted else { return .device }
        guard let user = UserID(text) else {
            throw GoalError(
                code: .damagedGuardian,
                message: "it is not known whose passcode guards App Lock: the note names no user"
            )
        }
        return user
    }

    /// Whether a guardian differs from the stored guardian and has to be stored. If no guardian is stored,
    /// the device's user is the guardian.
    package static func isNews(_ guardian: UserID, noted: String?) -> Bool {
        // The bytes are compared, because `UserID` also compares bytes.
        !guardian.rawValue.utf8.elementsEqual((noted ?? UserID.device.rawValue).utf8)
    }
}
