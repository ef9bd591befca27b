import GoalLock
import LockScreens
import PasscodeLock
import PortcullisCore

/// Contents to draw: those of the real screens, brought to a state by what happens to them.
enum Contents {
    static let moment = Moment(wall: .zero, sinceBoot: .zero, boot: BootID("any"))

    /// Each by its name.
    static var all: [(name: String, content: ScreenContent)] {
        [
            ("lock", lock()), ("lock-wrong", wrong), ("lock-delay", delayed), ("lock-touch", touch),
            ("forgot-device", forgot(false)), ("forgot-account", forgot(true)), ("lock-field", field),
            ("set-create", set(.create)), ("set-weak", weak), ("set-mismatch", mismatch),
            ("set-change", set(.change)),
            ("reset-code", reset), ("forgot-recoverable", recoverable), ("recover", recover),
            ("recover-wrong", wrongPassphrase), ("first-set-up", firstSetUp), ("security", security),
            ("introduction", introduction),
            ("goal-settings", goalSettings), ("picker", picker), ("paywall", paywall),
        ]
    }

    static func after<Screen: ContentScreen>(_ screen: Screen, _ events: Screen.Event...) -> ScreenContent {
        var screen = screen
        for event in events { _ = screen.handle(event, at: moment) }
        return screen.content
    }

    static func digits<Screen: ContentScreen>(_ text: String, _ screen: Screen) -> [Screen.Event] {
        text.utf8.map { Screen.input(.digit(Int($0) - 0x30)) }
    }

    static let offer = BiometricOffer(
        kind: .fingerprint,
        isEnabled: true,
        isUsable: true,
        canEnable: true
    )

    static func lock(filled: Int = 0) -> ScreenContent {
        var screen = LockScreen(format: .standard)
        _ = screen.handle(.appeared(retryAfter: .zero, nil), at: moment)
        for _ in 0..<filled { _ = screen.handle(.input(.digit(1)), at: moment) }
        return screen.content
    }

    static var wrong: ScreenContent {
        var screen = LockScreen(format: .standard)
        _ = screen.handle(.appeared(retryAfter: .zero, nil), at: moment)
        for digit in 1...6 { _ = screen.handle(.input(.digit(digit)), at: moment) }
        _ = screen.handle(.answered(.wrong(failures: 1, retryAfter: .zero), generation: 0), at: moment)
        return screen.content
    }

    static var delayed: ScreenContent { delayed(by: .seconds(60)) }

    static func delayed(by delay: Duration) -> ScreenContent {
        after(LockScreen(format: .standard), .appeared(retryAfter: delay, nil))
    }

    static var touch: ScreenContent {
        after(
            LockScreen(format: .standard),
            .appeared(retryAfter: .zero, offer),
            .hinted(.touch, generation: 0)
        )
    }

    static func forgot(_ hasAccount: Bool) -> ScreenContent {
        after(
            LockScreen(format: .standard, hasAccount: hasAccount),
            .appeared(retryAfter: .zero, nil),
            .input(.activate(.forgot))
        )
    }

    static var field: ScreenContent {
        after(LockScreen(format: .alphanumeric(4...64)), .appeared(retryAfter: .zero, nil))
    }

    static func set(_ mode: SetPasscodeScreen.Mode) -> ScreenContent {
        SetPasscodeScreen(mode: mode, format: .standard).content
    }

    static func typed(_ entries: String...) -> ScreenContent {
        var screen = SetPasscodeScreen(mode: .create, format: .standard)
        for entry in entries {
            for event in digits(entry, screen) { _ = screen.handle(event, at: moment) }
        }
        return screen.content
    }

    static var weak: ScreenContent { typed("123456") }
    static var mismatch: ScreenContent { typed("271828", "314159") }

    static var reset: ScreenContent {
        ResetPasscodeScreen(request: .random(), format: .standard).content
    }

    static var recoverable: ScreenContent {
        after(
            LockScreen(format: .standard),
            .appeared(retryAfter: .zero, nil),
            .recoverable(true),
            .input(.activate(.forgot))
        )
    }

    static var recover: ScreenContent { RecoverPasscodeScreen(format: .standard).content }

    static var wrongPassphrase: ScreenContent {
        after(
            RecoverPasscodeScreen(format: .standard),
            .input(.character("a")),
            .input(.submit),
            .answered(.wrongPassphrase)
        )
    }

    static var firstSetUp: ScreenContent { FirstSetUpScreen(format: .standard).content }

    static var security: ScreenContent { security(.english) }

    static func security(_ strings: PasscodeStrings) -> ScreenContent {
        let status = PasscodeStatus(
            isSet: true,
            isEnabled: true,
            failures: 0,
            retryAfter: .zero,
            format: .standard,
            timeout: .devicePreset,
            usesBiometrics: false,
            lock: LockMark()
        )
        return after(
            SecuritySettingsScreen(hasAccount: false, strings: strings),
            .appeared,
            .found(status, offer)
        )
    }

    static var introduction: ScreenContent {
        IntroductionScreen(icons: ["Chat", "Video", "Chess"].map { ScreenIcon(symbol: "app", label: $0) })
            .content
    }

    static let catalogue = ShieldCatalogue(
        apps: ["Chat", "Chess", "Vidéo 漢字"].map {
            ShieldCatalogue.Entry(token: AppToken("\($0).desktop"), label: $0)
        },
        categories: [ShieldCatalogue.Entry(token: CategoryToken("game"), label: "Games")]
    )

    static var goalSettings: ScreenContent {
        let status = GoalStatus(
            isEnabled: true,
            isEntitled: true,
            reason: nil,
            selection: ShieldSelection(apps: [AppToken("Chat.desktop")]),
            progress: 10,
            goal: 100,
            dayStart: .midnight,
            date: CivilDate(year: 2026, month: 7, day: 1),
            untilNextDay: .seconds(3600)
        )
        return after(GoalSettingsScreen(), .appeared, .found(status, catalogue, generation: 1))
    }

    static var picker: ScreenContent { PickerScreen(catalogue: catalogue).content }

    static var paywall: ScreenContent {
        PaywallScreen(
            cards: (1...7).map {
                ScreenCard(symbol: "lock", title: "Feature \($0)", text: "What feature \($0) does for you.")
            }
        ).content
    }
}
