internal import AdapterKit
public import PortcullisCore
internal import Synchronization

/// Unlocking with biometrics, for a user who has a passcode and switched biometrics on.
extension PasscodeService {
    /// The longest wait for the authenticator when it is asked for the availability, after a right passcode,
    /// and when a key is dropped. Without this limit, a reader that never answers would keep a screen from
    /// its passcode, a right passcode from unlocking, and a log-out from ending.
    private static let patience = Duration.seconds(5)

    /// Whether the host has an authenticator. Without one the service waits for none, and so needs no thread
    /// for the wait. A log-out may be made while no thread can be had.
    private var hasAuthenticator: Bool { !(authenticator is Unavailable) }

    /// Returns the biometrics that can be offered now. Each call asks the authenticator. If the authenticator
    /// does not answer within five seconds, no biometrics are offered.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be read.
    public func biometrics() async throws(PasscodeError) -> BiometricOffer {
        try await look().offer
    }

    /// Returns the biometrics that can be offered now, and the authenticator's report of their availability.
    private func look() async throws(PasscodeError) -> (offer: BiometricOffer, found: BiometricAvailability) {
        let choice = try await records.read()
        let found = await availability()
        return (offer(found, choice), found)
    }

    /// Returns the authenticator's report of the availability. Without a report within ``patience``,
    /// biometrics count as not available.
    private func availability() async -> BiometricAvailability {
        guard hasAuthenticator else { return .none }
        let found = Mutex(BiometricAvailability.none)
        await clock.wait(atMost: Self.patience) {
            let reported = await authenticator.availability(for: user)
            found.withLock { $0 = reported }
        }
        return found.withLock(\.self)
    }

    private func offer(_ found: BiometricAvailability, _ record: PasscodeRecord?) -> BiometricOffer {
        let fits = found.state == .available && (found.binding == .key || !configuration.unlockNeedsKey)
        let chosen = record?.biometrics
        let isBaseline = chosen?.enrolmentDigest != nil && chosen?.enrolmentDigest == found.enrolmentDigest
        return BiometricOffer(
            kind: found.kind,
            // Without the baseline the enrolled fingers or faces may have changed, or the key may be lost. Then
            // the next right passcode enrolls the key again, unless enrolling asks the person for something,
            // such as a touch. In that case biometrics count as off until the person switches them on.
            isEnabled: chosen != nil && (isBaseline || !found.asksToEnroll),
            // While the account has to confirm the passcode, biometrics are not usable. The person may have
            // changed the passcode on another device to keep a stranger out, and the stranger's finger or
            // face may be enrolled on this device.
            isUsable: fits && chosen != nil && isBaseline && record?.needsStatus != true,
            canEnable: fits && found.enrolmentDigest != nil && record?.isSet == true
        )
    }

    /// Switches biometrics on.
    ///
    /// - Parameter passcode: the passcode; counted like every other try.
    /// - Throws: the errors of ``verify(_:)``; ``PasscodeErrorCode/biometrics`` when biometrics cannot be
    ///   used now or the authenticator does not report its availability within five seconds, when the
    ///   passcode was replaced while the key was being enrolled, or when the task was cancelled. A
    ///   cancellation does not stop the check of the passcode.
    public func enableBiometrics(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await noting(.biometrics) { () throws(PasscodeError) in
            try await enrollAfter(passcode)
        }
        if answer.isRight { note(.biometricsEnabled) }
        return answer
    }

    private func enrollAfter(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        // The try runs in a task of its own, so a cancellation ends only the enrolment. A try is counted as a
        // failure before its passcode is checked. If a cancellation came in between, a right passcode would
        // stay counted as a failure.
        let (answer, credential) = try await carryThrough { () throws(PasscodeError) in
            try await attemptToOpen(passcode)
        }
        guard !Task.isCancelled else {
            throw PasscodeError(code: .biometrics, message: "switching biometrics on was cancelled")
        }
        guard case .right(let proof) = answer, let key = proof.key else { return answer }
        let found = await availability()
        let record = try await records.read()
        guard let credential, offer(found, record).canEnable else {
            throw PasscodeError(code: .biometrics, message: "\(found.kind.displayName) cannot be used now")
        }
        guard try await enroll(key, of: credential, found.enrolmentDigest, isChoice: true) else {
            throw PasscodeError(
                code: .biometrics,
                message: "the passcode was changed meanwhile; try again"
            )
        }
        return answer
    }

    /// Switches biometrics off and drops the key kept for them.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be written or the key cannot be dropped. The
    ///   authenticator has five seconds to drop the key.
    public func disableBiometrics() async throws(PasscodeError) {
        try await noting(.biometrics) { () throws(PasscodeError) in
            try await edit { $0.biometrics = nil }
            try await forgetBiometrics()
        }
        note(.biometricsDisabled)
    }

    /// Shows the biometric prompt.
    ///
    /// A match gives a proof only if the same fingers or faces are still enrolled when the prompt has
    /// ended. A match does not reset the count of wrong passcodes.
    ///
    /// With the binding ``/PortcullisCore/BiometricBinding/assertion`` a match gives a proof without a key.
    /// With the binding ``/PortcullisCore/BiometricBinding/key`` a match without a key means that the
    /// authenticator has lost the key. The result is then ``BiometricAnswer/passcodeNeeded``, and
    /// biometrics are not used until the person enters the right passcode. This passcode opens the key, and
    /// the authenticator enrolls the key again. If
    /// ``/PortcullisCore/BiometricAvailability/asksToEnroll`` is set, biometrics are off instead, until the
    /// person switches them on.
    ///
    /// - Parameters:
    ///   - strings: the texts of the prompt.
    ///   - hint: called with each hint of the reader while the prompt is shown (H-7).
    /// - Returns: the proof, or the reason why there is none.
    /// - Throws: ``PasscodeError`` when the record cannot be read, or cannot be written after a key was lost.
    public func authenticate(
        _ strings: PasscodeStrings = .english,
        hint: @escaping @Sendable (BiometricHint) -> Void = { _ in }
    ) async throws(PasscodeError) -> BiometricAnswer {
        try await noting(.authenticate) { () throws(PasscodeError) in try await prompt(strings, hint) }
    }

    private func prompt(
        _ strings: PasscodeStrings,
        _ hint: @escaping @Sendable (BiometricHint) -> Void
    ) async throws(PasscodeError) -> BiometricAnswer {
        let asked = try await look()
        guard asked.offer.isUsable else { return .passcodeNeeded }
        let outcome = await authenticator.authenticate(
            user: user,
            reason: strings.unlockReason(configuration.appName),
            fallbackTitle: strings.enterPasscode,
            hint: hint
        )
        guard case .success(let key) = outcome else { return .ended(outcome) }
        let ended = try await look()
        guard ended.offer.isUsable else { return .passcodeNeeded }
        if key == nil, [asked, ended].contains(where: { $0.found.binding == .key }) {
            try await dropBaseline(ended.found.enrolmentDigest)
            return .passcodeNeeded
        }
        return .unlocked(UnlockProof(user: user, key: key, method: .biometrics))
    }

    /// Removes this enrolment digest from the record, so that the next right passcode enrolls the key again.
    /// If the record holds another digest, nothing changes.
    private func dropBaseline(_ digest: [UInt8]?) async throws(PasscodeError) {
        try await edit { record in
            // If a passcode was entered meanwhile, the record may hold a new digest, which must stay.
            if record.biometrics?.enrolmentDigest == digest { record.biometrics?.enrolmentDigest = nil }
        }
    }

    /// Enrolls the key of a right passcode again if the record's enrolment digest is missing or out of date.
    ///
    /// If enrolling needs the person, nothing is enrolled, because the person has only entered a passcode.
    ///
    /// An error is ignored, and the call waits no longer than ``patience``. The next right passcode tries
    /// again.
    ///
    /// - Parameters:
    ///   - chosen: the record's choice of biometrics.
    ///   - key: the key that biometrics release from now on.
    ///   - credential: the credential that holds the key.
    func renewBiometrics(
        _ chosen: PasscodeRecord.Biometrics,
        _ key: SecretBytes,
        of credential: PasscodeRecord.Credential
    ) async {
        guard hasAuthenticator else { return }
        await clock.wait(atMost: Self.patience) {
            let found = await authenticator.availability(for: user)
            guard found.state == .available, !found.asksToEnroll,
                found.enrolmentDigest != chosen.enrolmentDigest, !Task.isCancelled
            else { return }
            _ = try? await enroll(key, of: credential, found.enrolmentDigest, isChoice: false)
        }
    }

    /// What the record says about a key after the authenticator has enrolled it.
    private enum Enrolment: Sendable {
        /// The record has the credential of the key. The digest is stored, so biometrics release the key.
        case stored
        /// The passcode was replaced meanwhile. Biometrics are not used until the present passcode is
        /// entered.
        case outdated
        /// Biometrics are off, or the passcode was removed.
        case unwanted
    }

    /// Enrolls a key, and stores the digest of the enrolled fingers or faces.
    ///
    /// Some authenticators wait for a touch. During that wait another process may replace the passcode. For
    /// example, the person resets the passcode because a stranger's finger is enrolled. The authenticator
    /// then holds the key of the earlier passcode. So the digest is removed from the record, and biometrics
    /// unlock nothing until the person enters the present passcode.
    ///
    /// - Parameters:
    ///   - key: the key that biometrics release.
    ///   - credential: the credential that holds the key.
    ///   - digest: the digest of the enrolled fingers or faces.
    ///   - isChoice: whether the person is switching biometrics on.
    /// - Returns: whether biometrics release the key from now on. This is the case if the record still has
    ///   the credential and biometrics are on.
    private func enroll(
        _ key: SecretBytes,
        of credential: PasscodeRecord.Credential,
        _ digest: [UInt8]?,
        isChoice: Bool
    ) async throws(PasscodeError) -> Bool {
        do { try await authenticator.enroll(key, for: user) } catch { throw PasscodeError(error) }
        // The authenticator now holds the key, and the record has to show this. The calling task may be
        // cancelled, for example at the end of ``patience``, and a store may refuse a write in a cancelled
        // task. So the write runs in a task of its own.
        let enrolment: Enrolment = try await carryThrough { () throws(PasscodeError) in
            try await records.update { found throws(PasscodeError) -> RecordStore.Change<Enrolment> in
                guard var record = found else { return .keep(.unwanted) }
                let isCurrent = record.credential == credential
                if isCurrent, isChoice { record.biometrics = PasscodeRecord.Biometrics() }
                record.biometrics?.enrolmentDigest = isCurrent ? digest : nil
                let enrolment: Enrolment =
                    record.biometrics == nil ? .unwanted : isCurrent ? .stored : .outdated
                return .to(record, from: found, enrolment)
            }
        }
        if enrolment == .unwanted { try await forgetBiometrics() }
        return enrolment == .stored
    }

    /// Lets the authenticator forget the key. If the authenticator does not answer within ``patience``, the
    /// call throws.
    func forgetBiometrics() async throws(PasscodeError) {
        guard hasAuthenticator else { return }
        let failure = Mutex<BiometricError?>(
            BiometricError(code: .systemFailure, message: "the authenticator did not answer")
        )
        await clock.wait(atMost: Self.patience) {
            do throws(BiometricError) {
                try await authenticator.forget(user)
                failure.withLock { $0 = nil }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw PasscodeError(failure) }
    }

    /// Lets the authenticator forget the key of a passcode that is switched off. An error is only reported as
    /// an event, because the key no longer unlocks the app.
    func forgetBiometricsIfPossible() async {
        do throws(PasscodeError) { try await forgetBiometrics() } catch {
            note(.failed(.biometrics, error.code))
        }
    }
}

/// How a biometric prompt of the service ended.
public enum BiometricAnswer: Sendable {
    /// The person was recognised.
    case unlocked(UnlockProof)
    /// The prompt ended without a match; never ``/PortcullisCore/BiometricOutcome/success(key:)``.
    case ended(BiometricOutcome)
    /// The passcode is needed first: biometrics are off or not usable, the enrolment changed, or the key was
    /// lost.
    case passcodeNeeded
}
