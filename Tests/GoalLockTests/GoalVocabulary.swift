import GoalLock
import LockScreens
import PortcullisCore

extension ScreenContent {
    /// A row of the picker.
    struct Row {
        var label: String
        var isChosen: Bool
    }

    func control(_ id: ControlID) -> ScreenControl? { controls.first { $0.id == id } }

    /// Whether the lock's switch is on.
    var isOn: Bool { control(.enable)?.kind == .toggle(isOn: true) }

    /// What the way to the picker says was chosen.
    var chosen: [ScreenItem] {
        if case .link(let chosen) = control(.selectApps)?.kind { chosen } else { [] }
    }

    var features: [String] {
        texts.lazy.compactMap { if case .items(let items) = $0 { items } else { nil } }.first ?? []
    }

    var note: String {
        texts.lazy.compactMap { if case .note(let text) = $0 { text } else { nil } }.first ?? ""
    }

    var offset: Double { icons?.offset ?? 0 }

    var apps: [Row] { rows { $0.app != nil } }
    var categories: [Row] { rows { $0.category != nil } }

    private func rows(_ isMeant: (ControlID) -> Bool) -> [Row] {
        controls.filter { isMeant($0.id) }.map {
            Row(label: $0.title, isChosen: $0.kind == .option(isChosen: true))
        }
    }
}

extension GoalSettingsScreen.Event {
    static var toggle: Self { .input(.activate(.enable)) }
    static var selectApps: Self { .input(.activate(.selectApps)) }
    static var alertClosed: Self { .input(.activate(.ok)) }
    static var done: Self { .input(.activate(.ok)) }
}

extension PickerScreen.Event {
    static func toggleApp(_ token: AppToken) -> Self { .input(.activate(.app(token))) }
    static func toggleCategory(_ token: CategoryToken) -> Self { .input(.activate(.category(token))) }
    static func search(_ text: String) -> Self { .input(.search(text)) }
    static var done: Self { .input(.activate(.done)) }
    static var cancel: Self { .input(.activate(.cancel)) }
}

extension IntroductionScreen.Event {
    static var getStarted: Self { .input(.activate(.getStarted)) }
}

extension PaywallScreen.Event {
    static func show(_ place: Int) -> Self { .input(.show(place)) }
    static var subscribe: Self { .input(.activate(.subscribe)) }
    static var close: Self { .input(.activate(.close)) }
}
