internal import PortcullisCore

/// The name of a control, unique on its screen. Names are compared byte by byte, because a name may contain
/// the identifier of an app.
public struct ControlID: Sendable, Codable, RawRepresentable {
    /// The text of the name. Tests and the `--plain` mode of the `portcullis` tool use it.
    public let rawValue: String
    /// Makes a name from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Makes a name from its text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The control that leaves the screen without a result.
    public static let cancel = ControlID("cancel")
    /// The control that submits a field of variable length.
    public static let done = ControlID("done")
    /// The control that closes an alert or a finished screen.
    public static let ok = ControlID("ok")
}

extension ControlID: Hashable {
    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Whether the bytes differ. Without this function, `!=` would be the operator of `RawRepresentable`,
    /// which compares by Unicode equivalence.
    public static func != (left: Self, right: Self) -> Bool { !(left == right) }

    /// Hashes the text. Names of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: rawValue) }
}

/// The meaning of a control for the person.
public enum ControlRole: Sendable, Hashable, Codable {
    /// A control without a special meaning.
    case normal
    /// The control that most people want. A renderer may emphasise it, and Return may activate it.
    case primary
    /// The control that leaves the screen without a change.
    case cancel
    /// A control whose action destroys data.
    case destructive
}

/// A button, a switch, a choice, or a row of a list.
public struct ScreenControl: Sendable, Hashable, Codable {
    /// The kinds of control.
    public enum Kind: Sendable, Hashable, Codable {
        /// A button. Activating it starts the action that the title names.
        case button
        /// A switch. Activating it requests the other state.
        case toggle(isOn: Bool)
        /// A choice of one option; `selected` is `nil` if the present value is not among the options.
        case choice(options: [String], selected: Int?)
        /// A link to another screen, with the items that were chosen on that screen.
        case link(chosen: [ScreenItem])
        /// An option that can be chosen together with others. Activating it requests the other state.
        case option(isChosen: Bool)
    }

    /// The control's name.
    public var id: ControlID
    /// The control's kind.
    public var kind: Kind
    /// The control's text. It may be another program's text, such as an app's label.
    public var title: String
    /// The control's symbol; `nil` if it has none.
    public var symbol: String?
    /// The control's meaning for the person.
    public var role: ControlRole
    /// The headline above the control and its neighbours of the same group; empty if there is no headline.
    public var group: String
    /// Whether the control accepts input now.
    public var isEnabled: Bool
    /// The control's label for screen readers.
    public var accessibilityLabel: String

    /// Makes a control. If no accessibility label is given, the title is used as the label.
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
