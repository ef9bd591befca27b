public import LockScreens
public import PortcullisCore

extension ControlID {
    /// The switch of the goal lock.
    public static let enable = ControlID("enable")
    /// The link that opens the picker.
    public static let selectApps = ControlID("select")
    /// The button that closes the introduction and opens the settings.
    public static let getStarted = ControlID("start")
    /// The button on the paywall that starts the purchase.
    public static let subscribe = ControlID("subscribe")
    /// The button that closes the paywall.
    public static let close = ControlID("close")

    private static let appPrefix = "app:"
    private static let categoryPrefix = "category:"

    /// The control of an app in a list of apps.
    public static func app(_ token: AppToken) -> ControlID { ControlID(appPrefix + token.rawValue) }

    /// The control of a category in a list of categories.
    public static func category(_ token: CategoryToken) -> ControlID {
        ControlID(categoryPrefix + token.rawValue)
    }

    /// The app's token, if this is the name of an app's control; otherwise `nil`. Systems that draw tokens
    /// themselves need the token.
    public var app: AppToken? { token(after: Self.appPrefix).map { AppToken($0) } }

    /// The category's token, if this is the name of a category's control; otherwise `nil`. Systems that draw
    /// tokens themselves need the token.
    public var category: CategoryToken? { token(after: Self.categoryPrefix).map { CategoryToken($0) } }

    private func token(after prefix: String) -> String? {
        // The comparison is by bytes, because a token may begin with a combining character, which would join
        // the prefix's last character.
        guard rawValue.utf8.starts(with: prefix.utf8) else { return nil }
        return String(rawValue.utf8.dropFirst(prefix.utf8.count))
    }
}
