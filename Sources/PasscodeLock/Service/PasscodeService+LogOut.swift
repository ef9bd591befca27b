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
    /// - Throws: the errors of ``clearAll()``. The person is signed out even after these errors.
    ///
    ///   A process with ``PasscodeConfiguration/carriesOutLimitAction`` `false` can throw two other errors
    ///   first. It throws ``PasscodeErrorCode/logOutInApp`` when the passcode has a limit, and
    ///   ``PasscodeErrorCode/store`` when the store cannot be read, because the passcode may have a limit.
    ///   After these two errors nothing has changed.
    public func logOut() async throws(PasscodeError) {
        if !configuration.carriesOutLimitAction, let refusal = await refusalToLogOut() {
            note(.failed(.remove, refusal.code))
            throw refusal
        }
        await session.signOut()
        try await clearAll()
    }

    /// Returns the reason why a process that leaves the action of the limit to the app may not log out; `nil`
    /// if it may log out. A log-out removes the record. Without the record, the app would not carry out the
    /// action, and would not sign the person out.
    private func refusalToLogOut() async -> PasscodeError? {
        do throws(PasscodeError) {
            return try await records.read()?.policy.limit == nil ? nil : Self.logOutInApp
        } catch {
            // Only a log-out removes a damaged record, so a damaged record does not prevent the log-out. Any
            // other error may end by itself.
            return error.isAboutDamage ? nil : error
        }
    }

    private static let logOutInApp = PasscodeError(
        code: .logOutInApp,
        message: "an app has set a limit of wrong passcodes; only that app logs out"
    )

    /// Removes all passcode data of the user, but does not sign the user out. A host calls this when it signs
    /// the user out itself.
    ///
    /// - Throws: ``PasscodeErrorCode/store`` when the record could not be removed;
    ///   ``PasscodeErrorCode/biometrics`` when the authenticator could not forget its key, or did not answer
    ///   for five seconds. After the second error the record is removed, so the key unlocks nothing any more.
    public func clearAll() async throws(PasscodeError) {
        let failure = try await noting(.remove) { () throws(PasscodeError) in
            // If the record cannot be read, its sealed keys are unknown. Then the sealer is not asked to
            // forget any keys.
            let record = try? await records.read()
            let forgetting = await attempting { () throws(PasscodeError) in try await forgetBiometrics() }
            try await records.erase()
            SealsOfAct.current?.erased(record)
            return forgetting
        }
        note(.removed)
        guard let failure else { return }
        note(.failed(.remove, failure.code))
        throw failure
    }

    /// Whether the action of the limit stays due after this answer. It does so in a process that leaves the
    /// action to the app.
    func leavesActionDue(after answer: PasscodeAnswer) -> Bool {
        if case .limitReached = answer { !configuration.carriesOutLimitAction } else { false }
    }

    /// Carries out the action of the limit. If the configuration leaves the action to another process, the
    /// call does nothing, and the stored count keeps the action due.
    ///
    /// If a secret cannot be erased, the others are still erased, unless the whole store fails. The person is
    /// signed out, but the record stays. So the next passcode that is entered carries out the action again.
    func carryOut(_ action: ThrottlePolicy.LimitAction) async throws(PasscodeError) {
        guard configuration.carriesOutLimitAction else { return }
        if action == .erase, let failure = await eraseSecrets() {
            await session.signOut()
            throw failure
        }
        do throws(PasscodeError) { try await logOut() } catch {
            // The record is removed, so the action is carried out. `clearAll` has noted the error.
            guard error.code == .biometrics else { throw error }
        }
    }

    /// Removes every secret that can be removed. An error that concerns the whole store ends the removal,
    /// because each further removal would fail with the same error, perhaps after a wait.
    ///
    /// - Returns: the first error.
    private func eraseSecrets() async -> PasscodeError? {
        var failure: PasscodeError?
        for namespace in configuration.secretsToErase {
            var names: [SecretName] = []
            let listing = await attempting { () throws(SecretStoreError) in
                names = try await secrets.names(in: namespace)
            }
            failure = failure ?? listing.map { PasscodeError($0) }
            if let listing, listing.endsErasing { return failure }
            for name in names {
                let removal = await attempting { () throws(SecretStoreError) in
                    _ = try await secrets.remove(name)
                }
                failure = failure ?? removal.map { PasscodeError($0) }
                if let removal, removal.endsErasing { return failure }
            }
        }
        return failure
    }

    /// Runs a step, and returns its error.
    private func attempting<Failure>(_ step: () async throws(Failure) -> Void) async -> Failure? {
        do throws(Failure) {
            try await step()
            return nil
        } catch {
            return error
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

    /// Stores that the app has asked the user to set a passcode. A log-out and the removal of the passcode
    /// leave this item in the store.
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

extension SecretStoreError {
    /// Whether the error concerns the whole store, so that each further removal would fail too.
    fileprivate var endsErasing: Bool {
        [
            .lockTimeout, .timedOut, .unreachable, .unavailable, .closed, .readOnly, .durabilityUnknown,
            .diskFull,
        ]
        .contains(code.portable)
    }
}
