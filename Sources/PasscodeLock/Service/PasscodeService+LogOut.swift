public import PortcullisCore

/// Logging out. A person who forgot the passcode can log out. The throttle policy can also log the person
/// out after too many wrong passcodes.
extension PasscodeService {
    /// Signs the user out in the host, then removes the passcode and all its data.
    ///
    /// The order matters. If the process is killed between the two steps, the person is signed out and the
    /// passcode is still set. In the opposite order, an open session could be left without a passcode.
    ///
    /// The method also works on a record that cannot be understood.
    ///
    /// - Throws: ``PasscodeErrorCode/store`` when the record cannot be removed,
    ///   ``PasscodeErrorCode/biometrics`` when the key kept for biometrics cannot be removed. The person is
    ///   signed out even then.
    public func logOut() async throws(PasscodeError) {
        await session.signOut()
        try await clearAll()
    }

    /// Removes all passcode data of the user, but does not sign the user out. A host calls this when it signs
    /// the user out itself.
    ///
    /// - Throws: ``PasscodeErrorCode/store`` or ``PasscodeErrorCode/biometrics`` when some data could not be
    ///   removed.
    public func clearAll() async throws(PasscodeError) {
        try await noting(.remove) { () throws(PasscodeError) in
            // If the record cannot be understood, its sealed keys are unknown. Then the sealer is not asked
            // to forget any keys.
            SealsOfAct.current?.found(try? await records.read())
            try await forgetBiometrics()
            try await records.erase()
        }
        note(.removed)
    }

    func carryOut(_ action: ThrottlePolicy.LimitAction) async throws(PasscodeError) {
        if action == .erase { try await eraseSecrets() }
        try await logOut()
    }

    private func eraseSecrets() async throws(PasscodeError) {
        do {
            for namespace in configuration.secretsToErase {
                for name in try await secrets.names(in: namespace) {
                    try await secrets.remove(name)
                }
            }
        } catch {
            throw PasscodeError(error)
        }
    }

    // MARK: The offer to set a passcode

    /// Whether the app has already asked the user to set a passcode (P-41).
    ///
    /// - Throws: ``PasscodeErrorCode/store``.
    public func wasAsked() async throws(PasscodeError) -> Bool {
        do { return try await secrets.read(PasscodeNames.asked(user)) != nil } catch {
            throw PasscodeError(error)
        }
    }

    /// Whether the user should be offered a passcode now: none is set, and the user was never asked (P-41).
    ///
    /// - Parameter isEnabled: the account's ``AccountReport/isEnabled``. While an administrator has switched
    ///   passcodes off, no passcode is offered, because the account would refuse a new passcode.
    /// - Throws: the errors of ``status()`` and ``wasAsked()``. The caller then has to assume that a passcode
    ///   is set.
    public func offersSetUp(isEnabled: Bool = true) async throws(PasscodeError) -> Bool {
        guard isEnabled, try await !status().isSet else { return false }
        return try await !wasAsked()
    }

    /// Stores that the app has asked the user to set a passcode. A log-out and the removal of the passcode do
    /// not change this.
    ///
    /// - Throws: ``PasscodeErrorCode/store``.
    public func noteAsked() async throws(PasscodeError) {
        do {
            try await secrets.write(
                SecretBytes(copying: []),
                to: PasscodeNames.asked(user),
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
        } catch {
            throw PasscodeError(error)
        }
    }
}
