public import PortcullisCore

/// Biometrics in place of typing, for a user who has a passcode and chose them.
extension PasscodeService {
    /// What could be offered now; asked anew each time.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be read.
    public func biometrics() async throws(PasscodeError) -> BiometricOffer {
        try await look().offer
    }

    /// An offer, with what there was to offer.
    private func look() async throws(PasscodeError) -> (offer: BiometricOffer, found: BiometricAvailability) {
        let choice = try await records.read()
        let found = await authenticator.availability(for: user)
        return (offer(found, choice), found)
    }

    private func offer(_ found: BiometricAvailability, _ record: PasscodeRecord?) -> BiometricOffer {
        let fits = found.state == .available && (found.binding == .key || !configuration.unlockNeedsKey)
        let chosen = record?.biometrics
        let isBaseline = chosen?.enrolmentDigest != nil && chosen?.enrolmentDigest == found.enrolmentDigest
        return BiometricOffer(
            kind: found.kind,
            isEnabled: chosen != nil,
            // A passcode may have been changed elsewhere because of a finger or face that is enrolled here.
            isUsable: fits && chosen != nil && isBaseline && record?.needsAccount != true,
            canEnable: fits && record?.isSet == true
        )
    }

    /// Switches biometrics on.
    ///
    /// - Parameter passcode: the passcode, counted like any other try.
    /// - Throws: as ``verify(_:)`` does; ``PasscodeErrorCode/biometrics`` when they cannot be used now.
    public func enableBiometrics(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await noting(.biometrics) { () throws(PasscodeError) in
            try await enrollAfter(passcode)
        }
        if answer.isRight { note(.biometricsEnabled) }
        return answer
    }

    private func enrollAfter(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await attempt(passcode)
        guard case .right(let proof) = answer, let key = proof.key else { return answer }
        let found = await authenticator.availability(for: user)
        let record = try await records.read()
        guard offer(found, record).canEnable else {
            throw PasscodeError(code: .biometrics, message: "\(found.kind.displayName) cannot be used now")
        }
        try await enroll(key)
        try await edit { $0.biometrics = PasscodeRecord.Biometrics(enrolmentDigest: found.enrolmentDigest) }
        return answer
    }

    /// Switches biometrics off and drops what was kept for them.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be written or a kept key cannot be dropped.
    public func disableBiometrics() async throws(PasscodeError) {
        try await noting(.biometrics) { () throws(PasscodeError) in
            try await edit { $0.biometrics = nil }
            try await forgetBiometrics()
        }
        note(.biometricsDisabled)
    }

    /// Shows the biometric prompt.
    ///
    /// A success counts only if the enrolment is still the chosen one when the prompt has ended. It does not
    /// reset the count of wrong passcodes.
    ///
    /// A success without its key counts only where none was promised, that is with a binding of
    /// ``/PortcullisCore/BiometricBinding/assertion``. An authenticator that promised one and has lost it is
    /// not asked again until the passcode was entered, which gives the key anew.
    ///
    /// - Parameters:
    ///   - strings: the texts of the prompt.
    ///   - hint: is told what the reader asks the person to do while the prompt is up (H-7).
    /// - Returns: proof, or how else it ended.
    /// - Throws: ``PasscodeError`` when the record cannot be read, or, after a key was lost, written.
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

    /// Without a baseline the next right passcode enrolls anew, as after a change of the fingers or faces.
    private func dropBaseline(_ digest: [UInt8]?) async throws(PasscodeError) {
        try await edit { record in
            // A passcode that was entered meanwhile may have made another one.
            if record.biometrics?.enrolmentDigest == digest { record.biometrics?.enrolmentDigest = nil }
        }
    }

    /// After a right passcode: what is enrolled now is the new baseline of a choice made before.
    ///
    /// - Parameters:
    ///   - chosen: the choice, as the record has it.
    ///   - key: what biometrics release from now on.
    func renewBiometrics(
        _ chosen: PasscodeRecord.Biometrics,
        _ key: SecretBytes
    ) async throws(PasscodeError) {
        let found = await authenticator.availability(for: user)
        guard found.state == .available, found.enrolmentDigest != chosen.enrolmentDigest else { return }
        try await enroll(key)
        try await edit { record in
            record.biometrics?.enrolmentDigest = found.enrolmentDigest
        }
    }

    private func enroll(_ key: SecretBytes) async throws(PasscodeError) {
        do { try await authenticator.enroll(key, for: user) } catch { throw PasscodeError(error) }
    }

    func forgetBiometrics() async throws(PasscodeError) {
        do { try await authenticator.forget(user) } catch { throw PasscodeError(error) }
    }
}

/// How a biometric prompt of the service ended.
public enum BiometricAnswer: Sendable {
    /// It is the person.
    case unlocked(UnlockProof)
    /// It ended otherwise; never ``/PortcullisCore/BiometricOutcome/success(key:)``.
    case ended(BiometricOutcome)
    /// Not chosen, not usable, the enrolled fingers or faces changed, or the key was lost: the passcode first.
    case passcodeNeeded
}
