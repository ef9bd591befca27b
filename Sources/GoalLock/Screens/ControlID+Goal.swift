public import LockScreens
public import PortcullisCore

extension ControlID {
    /// The switch of the goal lock.
    public static let enable = ControlID("enable")
    /// The way to the picker.
    public static let selectApps = ControlID("select")
    /// Leaves the introduction for the settings.
    public static let getStarted = ControlID("start")
    /// Buys what the paywall offers.
    public static let subscribe = ControlID("subscribe")
    /// Leaves the paywall.
    public static let close = ControlID("close")

    private static let appPrefix = "app:"
    private static let categoryPrefix = "category:"

    /// An app, in a list of apps.
    public static func app(_ token: AppToken) -> ControlID { ControlID(appPrefix + token.rawValue) }

    /// A category, in a list of categories.
    public static func category(_ token: CategoryToken) -> ControlID {
        ControlID(categoryPrefix + token.rawValue)
    }

    /// The app that this stands for, for systems that draw tokens themselves; `nil` for anything else.
    public var app: AppToken? { token(after: Self.appPrefix).map { AppToken($0) } }

    /// The category that this stands for, for systems that draw tokens themselves; `nil` for anything else.
    public var category: CategoryToken? { token(after: Self.categoryPrefix).map { CategoryToken($0) } }

    private func token(after prefix: String) -> String? {
        // By bytes: a token may begin with a mark that joins the prefix.
        guard rawValue.utf8.starts(with: prefix.utf8) else { return nil }
        return String(rawValue.utf8.dropFirst(prefix.utf8.count))
    }
}
