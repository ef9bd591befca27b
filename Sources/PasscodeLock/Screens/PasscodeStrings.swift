public import LockScreens
public import PortcullisCore

/// All texts of the passcode lock, to be replaced for another language.
public struct PasscodeStrings: Sendable {
    /// The texts of the specification.
    public static let english = PasscodeStrings()

    /// The texts of the specification, to be changed one by one.
    public init() {}

    /// Title of the lock screen, and the fallback in the biometric prompt.
    public var enterPasscode = "Enter Passcode"
    /// A wrong passcode.
    public var incorrect = "Incorrect passcode"
    /// A delay; `%@` stands for the time.
    public var tryAgainIn = "Try again in %@"
    /// The link to the ways out.
    public var forgot = "Forgot Passcode?"
    /// What logging out means, for a passcode of this device.
    public var forgotDevice = "You will need to log in again. Your passcode will be removed."
    /// What can be done, for an account.
    public var forgotAccount = "We can send a reset code to your email, or you can logout and sign in again."
    /// Leaves things as they are.
    public var cancel = "Cancel"
    /// Signs out.
    public var logOut = "Logout"
    /// Asks for a reset by mail.
    public var sendReset = "Send Reset Email"
    /// Why the prompt is shown; `%@` stands for the app's name.
    public var unlock = "Unlock %@"

    /// Title of setting a passcode.
    public var setTitle = "Set Passcode"
    /// Title of changing it.
    public var changeTitle = "Change Passcode"
    /// First step of setting.
    public var create = "Create a passcode"
    /// Second step of setting.
    public var confirm = "Confirm passcode"
    /// First step of changing.
    public var enterCurrent = "Enter current passcode"
    /// Second step of changing and of resetting.
    public var enterNew = "Enter new passcode"
    /// Last step of changing and of resetting.
    public var confirmNew = "Confirm new passcode"
    /// The two entries differ.
    public var mismatch = "Passcodes don't match. Try again."
    /// Offered on first login.
    public var setUpLater = "Set up later"

    /// What the passcode is asked for before it is switched off.
    public var toTurnOff = "Enter your passcode to turn it off"
    /// What it is asked for before biometrics are switched on; `%@` stands for their name.
    public var toEnableBiometrics = "Enter your passcode to turn on %@"

    /// A passcode that is easily guessed.
    public var easilyGuessed = "This passcode is easily guessed."
    /// Keeps it.
    public var useAnyway = "Use Anyway"
    /// Takes another.
    public var chooseAnother = "Choose Another"

    /// Title of resetting.
    public var resetTitle = "Reset Passcode"
    /// First step of resetting.
    public var enterCode = "Enter reset code from email"
    /// Asks for another code.
    public var resend = "Resend code"
    /// Another code was sent.
    public var codeSent = "A new code is on its way."
    /// The two entries of a reset differ.
    public var resetMismatch = "Passcodes don't match"

    /// Title of the settings.
    public var securityTitle = "Security"
    /// The switch.
    public var passcode = "Passcode"
    /// The way to another passcode.
    public var changePasscode = "Change Passcode"
    /// The way to a reset.
    public var resetPasscode = "Reset Passcode"
    /// The choice of timeout.
    public var requirePasscode = "Require Passcode"
    /// A passcode that an administrator switched off.
    public var disabledByAdministrator = "Disabled by your administrator"
    /// Locks on every return.
    public var immediately = "Immediately"
    /// Never locks by itself.
    public var never = "Never"

    /// The account's server cannot be reached.
    public var accountUnreachable = "The server cannot be reached. Check your connection and try again."
    /// A request was sent, and it is not known whether it was carried out.
    public var accountUnknown =
        "No answer came. Nothing changes on this device until the server has been asked."
    /// The session was ended elsewhere.
    public var accountSignedOut = "You have been signed out. Log in again."
    /// The account was changed elsewhere meanwhile.
    public var accountConflict = "Your passcode was changed or switched off on another device."
    /// Too many requests; `%@` stands for the time.
    public var accountThrottled = "Too many requests. Try again in %@"
    /// Too many requests, for a time that is not known.
    public var accountThrottledForAWhile = "Too many requests. Try again later."
    /// The server failed.
    public var accountFailure = "The server has a problem. Try again later."
    /// The server does not do what was asked.
    public var accountRefused = "The server did not accept this."
    /// There is no account.
    public var accountMissing = "There is no account behind this passcode."
    /// A reset code that is not the one that was sent.
    public var codeRefused = "Incorrect code"
    /// A reset code that is too old.
    public var codeExpired = "This code has expired. Request another one."
    /// A reset code that was used or tried too often.
    public var codeUsedUp = "This code cannot be used any more. Request another one."

    /// The store failed in a way that says nothing to a person.
    public var storeFailed = "The passcode could not be read or saved. Try again."
    /// No space is left.
    public var storeFull = "The passcode could not be saved: no space is left."
    /// The system does not allow it.
    public var storeNotPermitted = "The passcode could not be read or saved: it is not permitted."
    /// Another process holds the store.
    public var storeBusy = "The passcode is in use by another program. Try again."
    /// The store was altered or put back.
    public var storeDamaged = "The storage of the passcode is damaged."
    /// The store cannot be read now.
    public var storeLocked = "The storage of the passcode is locked."
    /// The server that keeps the passcode cannot be reached, or does not answer.
    public var storeUnreachable = "The storage of the passcode cannot be reached. Try again."
    /// The server that keeps the passcode was told to save it, and did not answer.
    public var storeUnanswered = "It is not certain whether this was saved. Check before you try again."
    /// It is not known whether it was saved.
    public var storeUncertain = "It is not certain whether this was saved. Close the app and open it again."
    /// The passcode could not be checked.
    public var sealerFailed = "The passcode could not be checked. Try again."
    /// The memory that checking takes is not there.
    public var sealerOutOfMemory =
        "There is not enough memory to check the passcode. Close other programs and try again."
    /// The security chip has counted as many wrong passcodes as it takes.
    public var triesExhausted =
        "Too many wrong passcodes: the security chip refuses all of them now. Log out to start anew."
    /// The security chip is not there.
    public var hardwareMissing = "The security chip that holds the passcode cannot be found."
    /// Other programs keep the security chip busy.
    public var hardwareBusy = "The security chip is busy. Try again."
    /// The security chip has no room for another passcode.
    public var hardwareFull = "The security chip has no room for another passcode."
    /// The security chip says that it has failed.
    public var hardwareFailed = "The security chip has failed. Restart this device."
    /// The app may not use the security chip.
    public var hardwareNotPermitted = "This app may not use the security chip. Ask its administrator."
    /// The security chip has a password of its owner's.
    public var hardwareOwned = "The security chip is locked by its owner. Ask the administrator."
    /// The security chip cannot count tries.
    public var hardwareUnsuitable = "The security chip of this device cannot hold a passcode."
    /// The passcode belongs to another device's security chip, or to this one's before it was cleared.
    public var otherHardware = "The passcode was set with another security chip. Log out to start anew."
    /// The passcode was deleted from the security chip.
    public var hardwareCleared = "The passcode was deleted from the security chip. Log out to start anew."
    /// The record of the passcode was put back from a copy.
    public var olderSeal = "The record of the passcode is an old copy. Log out to start anew."
    /// A record that cannot be understood.
    public var recordDamaged = "The record of the passcode is damaged. Log out to start anew."
    /// A record that a newer version wrote.
    public var recordNewer =
        "The passcode was set by a newer version of the app. Update it, or log out to start anew."
    /// A passcode is there already.
    public var alreadySet = "A passcode is set already."
    /// Too few characters; `%@` stands for how many are needed.
    public var tooShort = "At least %@ characters are needed."
    /// Too many characters; `%@` stands for how many may be.
    public var tooLong = "At most %@ characters are allowed."
    /// Other characters than digits.
    public var digitsOnly = "Only digits are allowed."
    /// Characters that are not ASCII, or cannot be seen.
    public var plainCharactersOnly = "Only plain letters, digits and signs are allowed."
    /// Biometrics cannot be used now.
    public var biometricsFailed = "Biometric unlock cannot be used now."
    /// No finger and no face is enrolled.
    public var biometricsNotEnrolled = "No finger or face is enrolled on this device."
    /// Biometrics are locked until the passcode was entered.
    public var biometricsLockedOut = "There were too many attempts. Enter your passcode."
    /// The app itself is set up wrongly.
    public var invalidConfiguration = "The app's passcode lock is not set up correctly."

    /// Submits a field.
    public var done = "Done"
    /// Closes what is finished.
    public var ok = "OK"
    /// What the delete key is called.
    public var delete = "Delete"
    /// How far the dots are; `%1` and `%2` stand for the numbers.
    public var digitsEntered = "%1 of %2 digits entered"
    /// What a kind of biometrics is called; a brand has one name in all languages.
    public var biometricName: @Sendable (BiometricKind) -> String = { $0.displayName }
    /// A finger or face was another one; a platform that says it in words of its own is shown with them.
    public var notRecognised = BiometricOutcome.defaultFailureMessage
    /// A reader or a key waits for a touch.
    public var hintTouch = "Touch the reader"
    /// A reader waits for a swipe.
    public var hintSwipe = "Swipe your finger over the reader"
    /// A finger or face was not recognised.
    public var hintTryAgain = "Not recognised. Try again"
    /// A touch or swipe was too short.
    public var hintTooShort = "Too short. Try again"
    /// A finger is not in the middle of the reader.
    public var hintCentre = "Centre your finger on the reader"
    /// A finger has to be taken away first.
    public var hintRemove = "Lift your finger and try again"
    /// A camera looks for a face.
    public var hintLook = "Look at the camera"
    /// A security key is missing.
    public var hintInsertKey = "Insert your security key"

    /// Which of several steps a screen is at; `%1` and `%2` stand for the numbers.
    public var stepOfSteps = "Step %1 of %2"
    /// How much is in a field.
    public var charactersEntered = PluralText(one: "%@ character entered", other: "%@ characters entered")
    /// How durations are written: "1 h 5 min", "30 s".
    public var duration = DurationText()

    /// "Unlock Ledger".
    public func unlockReason(_ appName: String) -> String { unlock.filling("%@", with: appName) }

    /// "Try again in 1 min": what is left, rounded up, so that it never promises too early a try.
    public func tryAgain(in left: Duration) -> String { tryAgainIn.filling("%@", with: duration(left)) }

    /// "3 of 6 digits entered".
    public func entered(_ count: Int, of length: Int) -> String {
        digitsEntered.filling("%1", with: "\(count)").filling("%2", with: "\(length)")
    }

    /// What a reader asks for; `nil` for a hint that is not known.
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

    /// "Step 2 of 3".
    func step(_ number: Int, of count: Int) -> ScreenStep {
        let text = stepOfSteps.filling("%1", with: "\(number)").filling("%2", with: "\(count)")
        return ScreenStep(number, of: count, accessibilityValue: text)
    }

    /// "3 characters entered".
    public func entered(_ count: Int) -> String {
        charactersEntered(count)
    }

    /// What the passcode is asked for.
    func text(_ purpose: AskPasscodeScreen.Purpose) -> String {
        switch purpose {
        case .confirm: enterCurrent
        case .turnOff: toTurnOff
        case .enableBiometrics(let kind): toEnableBiometrics.filling("%@", with: biometricName(kind))
        case .stated(let text): text
        }
    }

    /// "Immediately", "5 s", "15 min", "1 h", "Never".
    public func text(_ timeout: LockTimeout) -> String {
        switch timeout {
        case .never: never
        case .after(.zero): immediately
        case .after(let time): duration(time)
        }
    }
}
