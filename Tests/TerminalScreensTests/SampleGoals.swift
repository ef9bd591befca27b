import GoalLock
import LockScreens
import PortcullisCore
import TerminalScreens

/// The goal lock's screens, each as a person might see it.
enum SampleGoals {
    static let catalogue = ShieldCatalogue(
        apps: ["Chat", "Chess", "Vidéo 漢字", "Zebra"].map(entry)
            + (10..<40).map { entry("Game \($0)") },
        categories: [("game", "Games"), ("network", "Internet")].map {
            ShieldCatalogue.Entry(token: CategoryToken($0), label: $1)
        }
    )

    static func entry(_ label: String) -> ShieldCatalogue.Entry<AppToken> {
        ShieldCatalogue.Entry(token: AppToken("\(label).desktop"), label: label)
    }

    static func status(
        isOn: Bool,
        isEntitled: Bool = true,
        reason: GoalStatus.Reason? = nil,
        apps: [String] = []
    ) -> GoalStatus {
        GoalStatus(
            isEnabled: isOn,
            isEntitled: isEntitled,
            reason: reason,
            selection: ShieldSelection(apps: Set(apps.map { AppToken("\($0).desktop") })),
            progress: 0,
            goal: 100,
            dayStart: .midnight,
            date: CivilDate(year: 2026, month: 7, day: 1),
            untilNextDay: .seconds(3600)
        )
    }

    static let icons = ["Chat", "Video", "Chess"].map {
        ScreenIcon(symbol: "app", label: $0)
    }

    static let cards = (1...7).map {
        ScreenCard(symbol: "lock", title: "Feature \($0)", text: "What feature \($0) does for you.")
    }

    typealias Introduction = FaceStage<IntroductionScreen>
    typealias Settings = FaceStage<GoalSettingsScreen>
    typealias Picker = FaceStage<PickerScreen>
    typealias Paywall = FaceStage<PaywallScreen>

    static func introduction(
        _ columns: Int = 80,
        _ rows: Int = 24,
        icons: [ScreenIcon] = icons,
        abilities: TerminalAbilities = TerminalAbilities()
    ) -> Introduction {
        Introduction(IntroductionScreen(icons: icons), columns, rows, abilities: abilities)
    }

    static func settings(
        _ columns: Int = 80,
        _ rows: Int = 24,
        _ status: GoalStatus? = nil,
        abilities: TerminalAbilities = TerminalAbilities()
    ) -> Settings {
        var stage = Settings(GoalSettingsScreen(), columns, rows, abilities: abilities)
        stage.tell(.appeared)
        stage.tell(.found(status ?? Self.status(isOn: false), catalogue, generation: 1))
        return stage
    }

    static func picker(
        _ columns: Int = 80,
        _ rows: Int = 24,
        catalogue: ShieldCatalogue = catalogue,
        abilities: TerminalAbilities = TerminalAbilities()
    ) -> Picker {
        Picker(PickerScreen(catalogue: catalogue), columns, rows, abilities: abilities)
    }

    static func paywall(
        _ columns: Int = 80,
        _ rows: Int = 24,
        abilities: TerminalAbilities = TerminalAbilities()
    ) -> Paywall {
        Paywall(PaywallScreen(cards: cards), columns, rows, abilities: abilities)
    }
}
