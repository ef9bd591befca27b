public import PortcullisCore

/// Logging out: the way out for a person who forgot the passcode, and what too many failures lead to.
extension PasscodeService {
    /// Signs out the user who is signed in, as the host does, then removes the passcode and all that belongs to it.
    ///
    /// In this order, because a process killed in between must leave a locked login, never an open session
    /// without a passcode. It works on a record that cannot be understood, too.
    ///
    /// - Throws: ``PasscodeErrorCode/store`` when the record cannot be removed, ``PasscodeErrorCode/biometrics``
    ///   when a kept key cannot; the person is signed out all the same.
    public func logOut() async throws(PasscodeError) {
        await session.signOut()
        try await clearAll()
    }

    /// Removes all passcode data of the user, as a full log-out of the host does.
    ///
    /// - Throws: ``PasscodeErrorCode/store`` or ``PasscodeErrorCode/biometrics`` when something could not be
    ///   removed.
    public func clearAll() async throws(PasscodeError) {
        try await noting(.remove) { () throws(PasscodeError) in
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

    /// Whether the user was asked to set a passcode before (P-41).
    ///
    /// - Throws: ``PasscodeErrorCode/store``.
    public func wasAsked() async throws(PasscodeError) -> Bool {
        do { return try await secrets.read(PasscodeNames.asked(user)) != nil } catch {
            throw PasscodeError(error)
        }
    }

    /// Whether the user is to be offered a passcode now: there is none, and the user was never asked (P-41).
    ///
    /// - Parameter isEnabled: what the account says of its administrator's switch (``AccountReport/isEnabled``); where that
    ///   is off none is offered, because it would be refused.
    /// - Throws: as ``status()`` and ``wasAsked()`` do. What cannot be read is to be taken for a passcode that is set.
    public func offersSetUp(isEnabled: Bool = true) async throws(PasscodeError) -> Bool {
        guard isEnabled, try await !status().isSet else { return false }
        return try await !wasAsked()
    }

    /// Notes that the user was asked; the note outlives passcode and log-out.
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
