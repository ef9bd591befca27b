public import LockScreens
public import PortcullisCore

/// The methods that make presenters, on the main actor.
@MainActor
extension GoalScreenEffects {
    /// Makes a presenter of the introduction. See ``introductionDriver(icons:movesByItself:openSettings:)``.
    ///
    /// - Parameters:
    ///   - icons: the host's list of apps.
    ///   - movesByItself: whether the row of icons moves. Pass `false` if the person asked for less motion.
    ///   - openSettings: dismisses the introduction and opens the settings.
    public func introduction(
        icons: [ScreenIcon],
        movesByItself: Bool = true,
        openSettings: @escaping @MainActor () -> Void
    ) -> ScreenPresenter<IntroductionScreen> {
        ScreenPresenter(introductionDriver(icons: icons, movesByItself: movesByItself) { openSettings() })
    }

    /// Makes a presenter of the picker of apps and categories. See ``pickerDriver(of:selection:finish:)``.
    ///
    /// - Parameters:
    ///   - catalogue: the apps and categories that can be chosen.
    ///   - selection: the present selection.
    ///   - finish: closes the screen. It receives the new selection; `nil`: the person cancelled.
    public func picker(
        of catalogue: ShieldCatalogue,
        selection: ShieldSelection,
        finish: @escaping @MainActor (ShieldSelection?) -> Void
    ) -> ScreenPresenter<PickerScreen> {
        ScreenPresenter(pickerDriver(of: catalogue, selection: selection) { finish($0) })
    }

    /// Makes a presenter of the settings screen. See
    /// ``settingsDriver(isolation:mayLoosen:pick:openPaywall:finish:)``.
    ///
    /// - Parameters:
    ///   - mayLoosen: decides whether the person may loosen the lock. For example, it asks for a passcode.
    ///   - pick: lets the person choose apps, with a ``PickerScreen`` if there is a catalogue, otherwise with
    ///     the system's picker. It returns `nil` if the person chose nothing.
    ///   - openPaywall: shows the paywall.
    ///   - finish: closes the screen.
    public func settings(
        mayLoosen: @escaping @MainActor () async -> Permission = { .granted },
        pick: @escaping @MainActor (ShieldSelection, ShieldCatalogue?) async -> ShieldSelection?,
        openPaywall: @escaping @MainActor () -> Void,
        finish: @escaping @MainActor () -> Void
    ) -> ScreenPresenter<GoalSettingsScreen> {
        ScreenPresenter(
            settingsDriver(
                mayLoosen: { await mayLoosen() },
                pick: { await pick($0, $1) },
                openPaywall: { openPaywall() },
                finish: { finish() }
            )
        )
    }
}
