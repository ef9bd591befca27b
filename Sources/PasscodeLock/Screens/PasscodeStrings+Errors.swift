internal import LockScreens
public import PortcullisCore

extension PasscodeStrings {
    /// The text that tells a person of an error. It depends on the codes of the error and its cause. The
    /// error's own message is in one language and for developers, so it is not shown.
    public func text(_ error: PasscodeError) -> String {
        switch error.code {
        case .wrongFormat: error.violation.map(text) ?? invalidConfiguration
        case .easilyGuessed: easilyGuessed
        case .alreadySet: alreadySet
        case .damagedRecord: recordDamaged
        case .newerRecord: recordNewer
        case .store: text(store: (error.cause as? SecretStoreError)?.code.portable)
        case .sealer: text(sealer: (error.cause as? PasscodeSealerError)?.code)
        case .biometrics: text(biometrics: (error.cause as? BiometricError)?.code)
        case .account: text(account: error.cause as? PasscodeAccountError)
        case .logOutInApp: logOutInApp
        case .invalidConfiguration: invalidConfiguration
        default: storeFailed
        }
    }

    /// The text that tells a person why ``PasscodeService/logOut()`` has failed.
    ///
    /// The lock screen may have shown the text of the reason before, such as that of a damaged store. So the
    /// text also says that logging out has failed.
    public func text(logOut error: PasscodeError) -> String {
        error.code == .store ? logOutFailed.filling("%@", with: text(error)) : text(error)
    }

    /// The text that tells a person that the security chip refuses all passcodes, and what can be done.
    ///
    /// - Parameter isRecoverable: whether the passcode has a recovery passphrase; `nil` on a screen that
    ///   offers neither the passphrase nor logging out.
    public func triesExhausted(isRecoverable: Bool?) -> String {
        switch isRecoverable {
        case true?: triesExhaustedRecoverable
        case false?: triesExhaustedForGood
        case nil: triesExhausted
        }
    }

    /// The text that tells a person what is wrong with a passcode's format.
    public func text(_ violation: PasscodeFormatViolation) -> String {
        switch violation {
        case .tooShort(let minimum): tooShort.filling("%@", with: "\(minimum)")
        case .tooLong(let maximum): tooLong.filling("%@", with: "\(maximum)")
        case .notADigit: digitsOnly
        case .notASCII, .controlCharacter: plainCharactersOnly
        }
    }

    private func text(store code: SecretStoreError.Code?) -> String {
        switch code {
        case .diskFull: storeFull
        case .notPermitted, .readOnly: storeNotPermitted
        case .lockTimeout: storeBusy
        case .damaged, .rolledBack: storeDamaged
        case .classLocked, .wrongKey: storeLocked
        case .newerFormat: recordNewer
        case .unreachable, .timedOut: storeUnreachable
        case .durabilityUnknown: storeUncertain
        case .outcomeUnknown: storeUnanswered
        default: storeFailed
        }
    }

    private func text(sealer code: PasscodeSealerError.Code?) -> String {
        switch code {
        case .outOfMemory: sealerOutOfMemory
        case .refusedParameters, .malformed: recordDamaged
        case .unknownAlgorithm: recordNewer
        case .notRecoverable: notRecoverable
        case .hardwareMissing: hardwareMissing
        case .hardwareBusy: hardwareBusy
        case .hardwareFull: hardwareFull
        case .hardwareFailed: hardwareFailed
        case .hardwareNotPermitted: hardwareNotPermitted
        case .hardwareOwned: hardwareOwned
        case .hardwareUnsuitable: hardwareUnsuitable
        case .otherHardware: otherHardware
        case .hardwareCleared: hardwareCleared
        case .olderSeal: olderSeal
        default: sealerFailed
        }
    }

    private func text(biometrics code: BiometricError.Code?) -> String {
        if let code, let text = biometricError(code) { return text }
        return switch code {
        case .notEnrolled: biometricsNotEnrolled
        case .lockedOut: biometricsLockedOut
        default: biometricsFailed
        }
    }

    private func text(account error: PasscodeAccountError?) -> String {
        switch error?.code {
        case .unreachable: accountUnreachable
        case .outcomeUnknown: accountUnknown
        case .notSignedIn: accountSignedOut
        case .conflict: accountConflict
        case .throttled:
            error?.retryAfter.map { accountThrottled.filling("%@", with: duration($0)) }
                ?? accountThrottledForAWhile
        case .refused: accountRefused
        case .unavailable: accountMissing
        default: accountFailure
        }
    }
}
