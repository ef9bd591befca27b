import LockScreens
import PasscodeLock

/// Screens to draw, made by hand so that drawing is tested apart from the models.
enum SampleScreens {
    static let pad = NumberPad(isEnabled: true, deleteSymbol: "delete.left", deleteLabel: "Delete")

    static func lock(filled: Int = 0, message: ScreenMessage? = nil, shakes: Int = 0) -> ScreenContent {
        ScreenContent(
            title: "Enter Passcode",
            symbol: "lock.shield.fill",
            entry: dots(filled),
            pad: pad,
            message: message,
            shakes: shakes,
            controls: [
                ScreenControl(.biometrics, title: "Touch ID", symbol: "touchid"),
                ScreenControl(.forgot, title: "Forgot Passcode?"),
            ]
        )
    }

    static func dots(_ filled: Int) -> EntryContent {
        EntryContent(
            style: .dots(count: 6),
            filled: filled,
            accessibilityValue: "\(filled) of 6 digits entered"
        )
    }

    static var forgotten: ScreenContent {
        var content = lock(filled: 2)
        content.alert = ScreenAlert(
            title: "Forgot Passcode?",
            text: "You will need to log in again. Your passcode will be removed.",
            actions: [
                ScreenControl(.cancel, title: "Cancel", role: .cancel),
                ScreenControl(.logOut, title: "Logout", role: .destructive),
            ]
        )
        return content
    }

    static var setUp: ScreenContent {
        ScreenContent(
            title: "Set Passcode",
            symbol: "lock.shield.fill",
            prompt: "Create a passcode",
            entry: dots(0),
            pad: pad,
            controls: [ScreenControl(.setUpLater, title: "Set up later")]
        )
    }

    static func field(filled: Int) -> ScreenContent {
        ScreenContent(
            title: "Enter Passcode",
            symbol: "lock.shield.fill",
            entry: EntryContent(
                style: .field(digitsOnly: false),
                filled: filled,
                accessibilityValue: "\(filled) characters entered"
            ),
            controls: [
                ScreenControl(.done, title: "Done"), ScreenControl(.forgot, title: "Forgot Passcode?"),
            ]
        )
    }

    static func recovery(filled: Int, message: ScreenMessage? = nil) -> ScreenContent {
        ScreenContent(
            title: "Recover Passcode",
            symbol: "lock.shield.fill",
            prompt: "Enter recovery passphrase",
            step: ScreenStep(1, of: 3, accessibilityValue: "Step 1 of 3"),
            entry: EntryContent(
                style: .field(digitsOnly: false),
                filled: filled,
                accessibilityValue: "\(filled) characters entered"
            ),
            message: message,
            controls: [
                ScreenControl(.done, title: "Done", role: .primary),
                ScreenControl(.cancel, title: "Cancel", role: .cancel),
            ]
        )
    }

    /// The question where the passcode has a recovery passphrase.
    static var forgottenRecoverable: ScreenContent {
        var content = forgotten
        content.alert?.text =
            "Your recovery passphrase sets a new passcode. Or log out: "
            + "You will need to log in again. Your passcode will be removed."
        content.alert?.actions.insert(ScreenControl(.recover, title: "Recovery Passphrase"), at: 1)
        return content
    }

    static var settings: ScreenContent {
        ScreenContent(
            title: "Security",
            symbol: "lock.shield.fill",
            controls: [
                ScreenControl(.passcode, kind: .toggle(isOn: true), title: "Passcode"),
                ScreenControl(.change, title: "Change Passcode"),
                ScreenControl(
                    .timeout,
                    kind: .choice(
                        options: [
                            "Immediately", "After 5 seconds", "After 1 minute", "After 5 minutes", "Never",
                        ],
                        selected: 1
                    ),
                    title: "Require Passcode"
                ),
                ScreenControl(.biometrics, kind: .toggle(isOn: false), title: "Touch ID"),
            ]
        )
    }

    static let all: [ScreenContent] = [
        lock(), lock(filled: 3, message: ScreenMessage(.error, "Incorrect passcode"), shakes: 1),
        lock(message: ScreenMessage(.countDown, "Try again in 1 min")), forgotten, setUp, field(filled: 4),
        recovery(filled: 12, message: ScreenMessage(.error, "Incorrect recovery passphrase")),
        forgottenRecoverable,
        settings,
    ]
}
