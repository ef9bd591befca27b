internal import LockScreens
internal import PasscodeLock

/// The content of one of the app's own pages: the login, the dashboard, the portal.
///
/// The screens of the lock have their own content. The input is the same `ScreenInput` on both.
struct PageContent: Sendable, Hashable {
    /// A line that can be chosen.
    struct Row: Sendable, Hashable {
        var text: String
        var trailing = ""
    }

    /// A line that the person types, and that is shown unchanged.
    struct Field: Sendable, Hashable {
        var label: String
        var text: String
    }

    /// A button.
    struct Action: Sendable, Hashable {
        var id: ControlID
        var title: String

        init(_ id: ControlID, _ title: String) { (self.id, self.title) = (id, title) }
    }

    var title: String
    /// The name of the person who is signed in.
    var person = ""
    var tabs: [String] = []
    var tab = 0
    var text: [String] = []
    var field: Field?
    var rows: [Row] = []
    var message: ScreenMessage?
    var isBusy = false
    var actions: [Action] = []

    /// The buttons of every page of a person who is signed in.
    static let waysOut: [Action] = [
        Action(.logOut, "Sign Out"), Action(.logOutEverywhere, "Sign Out Everywhere"),
    ]
}

extension ControlID {
    /// Chooses the role of staff.
    static let staff = ControlID("staff")
    /// Chooses the role of a customer.
    static let customer = ControlID("customer")
    /// Goes back to the previous page.
    static let back = ControlID("back")
    /// The tabs of the dashboard, by their place.
    static let tab = ControlID("tab")
    /// The rows of a list, by their place.
    static let row = ControlID("row")
    /// Opens the security settings.
    static let security = ControlID("security")
    /// Signs out on every device.
    static let logOutEverywhere = ControlID("logout-everywhere")
    /// Locks now.
    static let lock = ControlID("lock")
}
