/// The name of a control, unique on its screen.
public struct ControlID: Sendable, Hashable, Codable, RawRepresentable {
    /// The text of the name; `--plain` mode and tests use it.
    public let rawValue: String
    /// A control of this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A control of this name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Leaves the screen without a result.
    public static let cancel = ControlID("cancel")
    /// Submits a field of variable length.
    public static let done = ControlID("done")
    /// Closes an alert or a finished screen.
    public static let ok = ControlID("ok")
}

/// What activating a control means to the person.
public enum ControlRole: Sendable, Hashable, Codable {
    /// Nothing special.
    case normal
    /// What most people want here: a renderer may make it stand out, and Return may activate it.
    case primary
    /// Leaves without doing anything.
    case cancel
    /// Loses something.
    case destructive
}

/// A button, a switch, a choice, or a row of a list.
public struct ScreenControl: Sendable, Hashable, Codable {
    /// The kinds of control.
    public enum Kind: Sendable, Hashable, Codable {
        /// Does something when activated.
        case button
        /// Is on or off; activating it asks for the other.
        case toggle(isOn: Bool)
        /// Is one of several; `selected` is `nil` when the present value is none of them.
        case choice(options: [String], selected: Int?)
        /// Leads to another screen on which these were chosen.
        case link(chosen: [ScreenItem])
        /// Can be chosen beside others; activating it asks for the other state.
        case option(isChosen: Bool)
    }

    /// Its name.
    public var id: ControlID
    /// What kind of control.
    public var kind: Kind
    /// The text on it; perhaps of another program, as an app's label is.
    public var title: String
    /// The symbol on it, where there is one.
    public var symbol: String?
    /// What activating it means.
    public var role: ControlRole
    /// The headline that it stands under together with its neighbours of the same group; empty for none.
    public var group: String
    /// Whether it does anything now.
    public var isEnabled: Bool
    /// What a screen reader says of it.
    public var accessibilityLabel: String

    /// A control of these parts; the accessibility label is the title unless told otherwise.
    public init(
        _ id: ControlID,
        kind: Kind = .button,
        title: String,
        symbol: String? = nil,
        role: ControlRole = .normal,
        group: String = "",
        isEnabled: Bool = true,
        accessibilityLabel: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.symbol = symbol
        self.role = role
        self.group = group
        self.isEnabled = isEnabled
        self.accessibilityLabel = accessibilityLabel ?? title
    }
}
