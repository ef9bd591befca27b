public import LockScreens
public import PortcullisCore

/// All texts of the passcode lock. An app replaces them for another language.
public struct PasscodeStrings: Sendable {
    /// The English texts, which the specification prescribes.
    public static let english = PasscodeStrings()

    /// Makes a value with the English texts. Each text can then be replaced.
    public init() {}

    /// The title of the lock screen, and the fallback button in the biometric prompt.
    public var enterPasscode = "Enter Passcode"
    /// The message after a wrong passcode.
    public var incorrect = "Incorrect passcode"
    /// The message during a delay; `%@` stands for the time left.
    public var tryAgainIn = "Try again in %@"
    /// The button that opens the alert "Forgot Passcode?", and the title of that alert.
    public var forgot = "Forgot Passcode?"
    /// The text of the alert "Forgot Passcode?" for a passcode of this device. It describes the effect of
    /// logging out.
    public var forgotDevice = "You will need to log in again. Your passcode will be removed."
    /// The text of the alert "Forgot Passcode?" for a passcode with an account. It describes the person's
    /// choices.
    public var forgotAccount = "We can send a reset code to your email, or you can logout and sign in again."
    /// The button that closes a screen or an alert without a change.
    public var cancel = "Cancel"
    /// The button that signs out.
    public var logOut = "Logout"
    /// The button that asks for a reset by mail.
    public var sendReset = "Send Reset Email"
    /// The reason in the biometric prompt; `%@` stands for the app's name.
    public var unlock = "Unlock %@"

    /// The title of the screen that sets a passcode.
    public var setTitle = "Set Passcode"
    /// The title of the screen that changes the passcode.
    public var changeTitle = "Change Passcode"
    /// The prompt of the first step when a passcode is set.
    public var create = "Create a passcode"
    /// The prompt of the second step when a passcode is set.
    public var confirm = "Confirm passcode"
    /// The prompt of the first step when the passcode is changed.
    public var enterCurrent = "Enter current passcode"
    /// The prompt for the new passcode when the passcode is changed or reset.
    public var enterNew = "Enter new passcode"
    /// The prompt of the last step when the passcode is changed or reset.
    public var confirmNew = "Confirm new passcode"
    /// The message when the two entries differ.
    public var mismatch = "Passcodes don't match. Try again."
    /// The button that skips the offer to set a passcode at the first login.
    public var setUpLater = "Set up later"

    /// The prompt before the passcode is switched off.
    public var toTurnOff = "Enter your passcode to turn it off"
    /// The prompt before biometrics are switched on; `%@` stands for their name.
    public var toEnableBiometrics = "Enter your passcode to turn on %@"

    /// The alert about an easily guessed passcode.
    public var easilyGuessed = "This passcode is easily guessed."
    /// The button that keeps the easily guessed passcode.
    public var useAnyway = "Use Anyway"
    /// The button that discards the easily guessed passcode, so that the person enters another.
    public var chooseAnother = "Choose Another"

    /// The title of the screen that resets the passcode.
    public var resetTitle = "Reset Passcode"
    /// The prompt for the reset code, the first step of a reset.
    public var enterCode = "Enter reset code from email"
    /// The button that asks for another code.
    public var resend = "Resend code"
    /// The message after another code was sent.
    public var codeSent = "A new code is on its way."
    /// The message when the two entries of a reset differ.
    public var resetMismatch = "Passcodes don't match"

    /// The button that opens the screen for the recovery passphrase.
    public var useRecovery = "Recovery Passphrase"
    /// The first sentence of the alert "Forgot Passcode?" if the passcode has a recovery passphrase.
    public var forgotRecoverable = "Your recovery passphrase sets a new passcode. Or log out:"
    /// The title of the screen that sets a new passcode with the recovery passphrase.
    public var recoverTitle = "Recover Passcode"
    /// The prompt for the recovery passphrase.
    public var enterPassphrase = "Enter recovery passphrase"
    /// The message after a wrong recovery passphrase.
    public var wrongPassphrase = "Incorrect recovery passphrase"

    /// The title of the security settings.
    public var securityTitle = "Security"
    /// The switch that turns the passcode on and off.
    public var passcode = "Passcode"
    /// The button that opens the change of the passcode.
    public var changePasscode = "Change Passcode"
    /// The button that opens the reset of the passcode.
    public var resetPasscode = "Reset Passcode"
    /// The label of the setting that chooses the timeout.
    public var requirePasscode = "Require Passcode"
    /// The notice that an administrator switched passcodes off.
    public var disabledByAdministrator = "Disabled by your administrator"
    /// The name of the timeout that locks the app each time the person returns to it.
    public var immediately = "Immediately"
    /// The name of the timeout that never locks.
    public var never = "Never"

    /// The error when the account's server cannot be reached.
    public var accountUnreachable = "The server cannot be reached. Check your connection and try again."
    /// The error when a request was sent, but it is unknown whether it was carried out.
    public var accountUnknown =
        "No answer came. Nothing changes on this device until the server has been asked."
    /// The error when the session was ended elsewhere.
    public var accountSignedOut = "You have been signed out. Log in again."
    /// The error when another device changed the account's passcode or switched it off.
    public var accountConflict = "Your passcode was changed or switched off on another device."
    /// The error after too many requests; `%@` stands for the time left.
    public var accountThrottled = "Too many requests. Try again in %@"
    /// The error after too many requests, when the time left is unknown.
    public var accountThrottledForAWhile = "Too many requests. Try again later."
    /// The error when the server failed.
    public var accountFailure = "The server has a problem. Try again later."
    /// The error when the server refuses the request.
    public var accountRefused = "The server did not accept this."
    /// The error when an act needs the account of the passcode, and the app has no account.
    public var accountMissing = "This passcode needs its account, which cannot be used here."
    /// The error for a wrong reset code.
    public var codeRefused = "Incorrect code"
    /// The error for a reset code that has expired.
    public var codeExpired = "This code has expired. Request another one."
    /// The error for a reset code that was used already, or after too many tries.
    public var codeUsedUp = "This code cannot be used any more. Request another one."

    /// The error for a failure of the store. The text does not name the cause, because the cause would not
    /// help the person.
    public var storeFailed = "The passcode could not be read or saved. Try again."
    /// The error when the disk is full.
    public var storeFull = "The passcode could not be saved: no space is left."
    /// The error when the system does not permit access to the store.
    public var storeNotPermitted = "The passcode could not be read or saved: it is not permitted."
    /// The error when the wait for another process that uses the store has timed out.
    public var storeBusy = "The passcode is in use by another program. Try again."
    /// The error when the store was altered or replaced by an older copy.
    public var storeDamaged = "The storage of the passcode is damaged."
    /// The error when the store is locked, or was opened with a wrong key.
    public var storeLocked = "The storage of the passcode is locked."
    /// The error when the server that keeps the passcode cannot be reached or does not answer.
    public var storeUnreachable = "The storage of the passcode cannot be reached. Try again."
    /// The error when the server that keeps the passcode was asked to save it and did not answer.
    public var storeUnanswered = "It is not certain whether this was saved. Check before you try again."
    /// The error when it is unknown whether a change is durable.
    public var storeUncertain = "It is not certain whether this was saved. Close the app and open it again."
    /// The error when the passcode could not be checked.
    public var sealerFailed = "The passcode could not be checked. Try again."
    /// The error when there is not enough memory for the check.
    public var sealerOutOfMemory =
        "There is not enough memory to check the passcode. Close other programs and try again."
    /// The error when the security chip refuses all passcodes after too many wrong ones, on a screen that
    /// offers neither the recovery passphrase nor logging out.
    public var triesExhausted = "Too many wrong passcodes: the security chip refuses all of them now."
    /// The error when the security chip refuses all passcodes, on a lock screen that offers the recovery
    /// passphrase.
    public var triesExhaustedRecoverable =
        "Too many wrong passcodes: the security chip refuses all of them now. Use the recovery passphrase, or log out to start anew."
    /// The error when the security chip refuses all passcodes, on a lock screen without a recovery
    /// passphrase.
    public var triesExhaustedForGood =
        "Too many wrong passcodes: the security chip refuses all of them now. Log out to start anew."
    /// The error after too many wrong passcodes in a process that does not carry out the action of the limit;
    /// see ``PasscodeConfiguration/carriesOutLimitAction``.
    public var limitDue =
        "Too many wrong passcodes: none is tried any more. The next one entered in the app that set this limit signs you out there, and may erase the app's data."
    /// The error when the person logs out in a process that does not carry out the action of the limit.
    public var logOutInApp =
        "An app has set a limit of wrong passcodes. Log out in that app: only there are you signed out."
    /// The error when logging out could not remove the passcode; `%@` stands for the text of the reason.
    public var logOutFailed = "Logging out could not be finished. %@"
    /// The error when a passcode has no recovery passphrase.
    public var notRecoverable = "This passcode has no recovery passphrase. Log out to start anew."
    /// The error when the security chip is missing.
    public var hardwareMissing = "The security chip that holds the passcode cannot be found."
    /// The error when other programs keep the security chip busy.
    public var hardwareBusy = "The security chip is busy. Try again."
    /// The error when the security chip has no room for another passcode.
    public var hardwareFull = "The security chip has no room for another passcode."
    /// The error when the security chip reports an internal failure.
    public var hardwareFailed = "The security chip has failed. Restart this device."
    /// The error when the app may not use the security chip.
    public var hardwareNotPermitted = "This app may not use the security chip. Ask its administrator."
    /// The error when the owner of the security chip has set a password on it.
    public var hardwareOwned = "The security chip is locked by its owner. Ask the administrator."
    /// The error when the security chip cannot count tries.
    public var hardwareUnsuitable = "The security chip of this device cannot hold a passcode."
    /// The error when the passcode was set with another security chip, or before this chip was cleared.
    public var otherHardware = "The passcode was set with another security chip. Log out to start anew."
    /// The error when the passcode was deleted from the security chip.
    public var hardwareCleared = "The passcode was deleted from the security chip. Log out to start anew."
    /// The error when the record of the passcode was replaced by an older copy.
    public var olderSeal = "The record of the passcode is an old copy. Log out to start anew."
    /// The error for a record that cannot be understood.
    public var recordDamaged = "The record of the passcode is damaged. Log out to start anew."
    /// The error for a record of a newer version.
    public var recordNewer =
        "The passcode was set by a newer version of the app. Update it, or log out to start anew."
    /// The error when a passcode is already set.
    public var alreadySet = "A passcode is set already."
    /// The error for too few characters; `%@` stands for the number that is needed.
    public var tooShort = "At least %@ characters are needed."
    /// The error for too many characters; `%@` stands for the number that is allowed.
    public var tooLong = "At most %@ characters are allowed."
    /// The error for characters other than digits.
    public var digitsOnly = "Only digits are allowed."
    /// The error for characters outside ASCII and for control characters.
    public var plainCharactersOnly = "Only plain letters, digits and signs are allowed."
    /// The error when biometrics cannot be used now.
    public var biometricsFailed = "Biometric unlock cannot be used now."
    /// Returns the text for an error code that the app's own authenticator defines, such as a code for a
    /// passkey that cannot store a key. If the closure returns `nil`, the screen shows
    /// ``biometricsNotEnrolled``, ``biometricsLockedOut`` or ``biometricsFailed``.
    public var biometricError: @Sendable (BiometricErrorCode) -> String? = { _ in nil }
    /// The error when no finger and no face is enrolled.
    public var biometricsNotEnrolled = "No finger or face is enrolled on this device."
    /// The error when biometrics are locked until the passcode is entered.
    public var biometricsLockedOut = "There were too many attempts. Enter your passcode."
    /// The error when the app's configuration is invalid.
    public var invalidConfiguration = "The app's passcode lock is not set up correctly."

    /// The button that submits a field.
    public var done = "Done"
    /// The button that closes a finished screen.
    public var ok = "OK"
    /// The accessibility label of the delete key.
    public var delete = "Delete"
    /// The accessibility value of the dots; `%1` and `%2` stand for the numbers of digits entered and needed.
    public var digitsEntered = "%1 of %2 digits entered"
    /// Returns the name of a kind of biometrics. The default is the kind's own name, such as a brand name.
    public var biometricName: @Sendable (BiometricKind) -> String = { $0.displayName }
    /// The error when a finger or face does not match. If the platform has a message of its own, that message
    /// is shown instead.
    public var notRecognised = BiometricOutcome.defaultFailureMessage
    /// The hint when a reader or a security key waits for a touch.
    public var hintTouch = "Touch the reader"
    /// The hint when a reader waits for a swipe.
    public var hintSwipe = "Swipe your finger over the reader"
    /// The hint when a finger or face was not recognised.
    public var hintTryAgain = "Not recognised. Try again"
    /// The hint when a touch or swipe was too short.
    public var hintTooShort = "Too short. Try again"
    /// The hint when the finger is not in the middle of the reader.
    public var hintCentre = "Centre your finger on the reader"
    /// The hint when the finger has to be lifted before the next try.
    public var hintRemove = "Lift your finger and try again"
    /// The hint when a camera looks for a face.
    public var hintLook = "Look at the camera"
    /// The hint when the security key is missing.
    public var hintInsertKey = "Insert your security key"

    /// The accessibility value of a screen's step; `%1` stands for the number of the step, and `%2` for the
    /// number of all steps.
    public var stepOfSteps = "Step %1 of %2"
    /// The accessibility value of a field: the number of its characters.
    public var charactersEntered = PluralText(one: "%@ character entered", other: "%@ characters entered")
    /// The text of durations: "1 h 5 min", "30 s".
    public var duration = DurationText()

    /// The reason that the biometric prompt shows, such as "Unlock Ledger".
    public func unlockReason(_ appName: String) -> String { unlock.filling("%@", with: appName) }

    /// The message with the time left, such as "Try again in 1 min". The time is rounded up, so a try at that
    /// time is never too early.
    public func tryAgain(in left: Duration) -> String { tryAgainIn.filling("%@", with: duration(left)) }

    /// The accessibility value of the dots, such as "3 of 6 digits entered".
    public func entered(_ count: Int, of length: Int) -> String {
        digitsEntered.filling("%1", with: "\(count)").filling("%2", with: "\(length)")
    }

    /// The text of a biometric hint; `nil` for an unknown hint.
    public func text(_ hint: BiometricHint) -> String? {
        switch hint {
        case .touch: hintTouch
        case .swipe: hintSwipe
        case .tryAgain: hintTryAgain
        case .tooShort: hintTooShort
        case .centre: hintCentre
        case .removeAndRetry: hintRemove
        case .look: hintLook
        case .insertKey: hintInsertKey
        default: nil
        }
    }

    /// The step of a screen, with a text such as "Step 2 of 3".
    func step(_ number: Int, of count: Int) -> ScreenStep {
        let text = stepOfSteps.filling("%1", with: "\(number)").filling("%2", with: "\(count)")
        return ScreenStep(number, of: count, accessibilityValue: text)
    }

    /// The accessibility value of a field, such as "3 characters entered".
    public func entered(_ count: Int) -> String {
        charactersEntered(count)
    }

    /// The prompt that asks for the passcode for this purpose.
    func text(_ purpose: AskPasscodeScreen.Purpose) -> String {
        switch purpose {
        case .confirm: enterCurrent
        case .turnOff: toTurnOff
        case .enableBiometrics(let kind): toEnableBiometrics.filling("%@", with: biometricName(kind))
        case .stated(let text): text
        }
    }

    /// The name of a timeout: "Immediately", "5 s", "15 min", "1 h", "Never".
    public func text(_ timeout: LockTimeout) -> String {
        switch timeout {
        case .never: never
        case .after(.zero): immediately
        case .after(let time): duration(time)
        }
    }
}
