/// All that a screen shows at an instant, in words and numbers: what a terminal, a web page or SwiftUI draws.
///
/// No secret is in it; of what was typed it has the count only.
public struct ScreenContent: Sendable, Hashable {
    /// The title, such as "Enter Passcode".
    public var title: String
    /// The symbol beside the title, such as `lock.shield.fill`.
    public var symbol: String
    /// What is asked for now, such as "Confirm new passcode"; empty where the title says it.
    public var prompt: String
    /// What has been typed; `nil` on a screen where nothing is.
    public var entry: EntryContent?
    /// The keys 1–9, blank, 0, delete; `nil` where a text field or nothing is used.
    public var pad: NumberPad?
    /// A line beneath the entry; `nil` for none.
    public var message: ScreenMessage?
    /// Rises by one with each error that shakes the entry.
    public var shakes: Int
    /// Whether a verification or a request runs; input is ignored meanwhile.
    public var isBusy: Bool
    /// Buttons, switches and choices, in order.
    public var controls: [ScreenControl]
    /// A question over the screen that must be answered first; `nil` for none.
    public var alert: ScreenAlert?

    /// A content of these parts.
    public init(
        title: String,
        symbol: String,
        prompt: String = "",
        entry: EntryContent? = nil,
        pad: NumberPad? = nil,
        message: ScreenMessage? = nil,
        shakes: Int = 0,
        isBusy: Bool = false,
        controls: [ScreenControl] = [],
        alert: ScreenAlert? = nil
    ) {
        self.title = title
        self.symbol = symbol
        self.prompt = prompt
        self.entry = entry
        self.pad = pad
        self.message = message
        self.shakes = shakes
        self.isBusy = isBusy
        self.controls = controls
        self.alert = alert
    }
}

/// What has been typed, without telling what it is.
public struct EntryContent: Sendable, Hashable {
    /// How it is shown.
    public enum Style: Sendable, Hashable {
        /// A row of this many dots; the last digit submits by itself.
        case dots(count: Int)
        /// A field with Done, for formats of variable length; digits only or any printable ASCII.
        case field(digitsOnly: Bool)
    }

    /// How it is shown.
    public var style: Style
    /// How many characters were typed.
    public var filled: Int
    /// What a screen reader says of it, such as "3 of 6 digits entered".
    public var accessibilityValue: String

    /// An entry of these parts.
    public init(style: Style, filled: Int, accessibilityValue: String) {
        self.style = style
        self.filled = filled
        self.accessibilityValue = accessibilityValue
    }
}

/// A line of text that tells how it went.
public struct ScreenMessage: Sendable, Hashable {
    /// What kind of line.
    public enum Kind: Sendable, Hashable {
        /// Something went wrong.
        case error
        /// How long to wait; the text changes as time passes.
        case countDown
        /// Something to know.
        case notice
    }

    /// What kind of line.
    public var kind: Kind
    /// The line.
    public var text: String

    /// A line of this kind.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// The number pad: three keys to a row, 1–9, blank, 0, delete.
public struct NumberPad: Sendable, Hashable {
    /// One place on the pad.
    public enum Key: Sendable, Hashable {
        /// A digit, 0 to 9.
        case digit(Int)
        /// Takes the last digit back.
        case delete
        /// Nothing.
        case blank
    }

    /// The keys, row by row.
    public static let rows: [[Key]] = [
        [.digit(1), .digit(2), .digit(3)],
        [.digit(4), .digit(5), .digit(6)],
        [.digit(7), .digit(8), .digit(9)],
        [.blank, .digit(0), .delete],
    ]

    /// Whether keys do anything now.
    public var isEnabled: Bool
    /// The symbol on the delete key.
    public var deleteSymbol: String
    /// What a screen reader says of the delete key.
    public var deleteLabel: String

    /// A pad of these parts.
    public init(isEnabled: Bool, deleteSymbol: String, deleteLabel: String) {
        self.isEnabled = isEnabled
        self.deleteSymbol = deleteSymbol
        self.deleteLabel = deleteLabel
    }
}

/// The name of a control, unique on its screen.
public struct ControlID: Sendable, Hashable, RawRepresentable {
    /// The text of the name; `--plain` mode and tests use it.
    public let rawValue: String
    /// A control of this name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A control of this name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Starts the biometric prompt.
    public static let biometrics = ControlID("biometrics")
    /// "Forgot Passcode?".
    public static let forgot = ControlID("forgot")
    /// Leaves the screen without a result.
    public static let cancel = ControlID("cancel")
    /// Submits a field of variable length.
    public static let done = ControlID("done")
    /// "Set up later".
    public static let setUpLater = ControlID("later")
    /// Opens the set-up on the offer of it.
    public static let setUp = ControlID("setup")
    /// Asks for another reset code.
    public static let resend = ControlID("resend")
    /// Asks for a reset by mail.
    public static let sendReset = ControlID("reset")
    /// Signs out.
    public static let logOut = ControlID("logout")
    /// Keeps an easily guessed passcode.
    public static let useAnyway = ControlID("use")
    /// Takes another passcode than the easily guessed one.
    public static let chooseAnother = ControlID("another")
    /// The switch for the passcode in the settings.
    public static let passcode = ControlID("passcode")
    /// Opens the change of the passcode.
    public static let change = ControlID("change")
    /// The choice of the timeout.
    public static let timeout = ControlID("timeout")
    /// Closes an alert or a finished screen.
    public static let ok = ControlID("ok")
}

/// What activating a control means to the person.
public enum ControlRole: Sendable, Hashable {
    /// Nothing special.
    case normal
    /// Leaves without doing anything.
    case cancel
    /// Loses something.
    case destructive
}

/// A button, a switch or a choice.
public struct ScreenControl: Sendable, Hashable {
    /// The kinds of control.
    public enum Kind: Sendable, Hashable {
        /// Does something when activated.
        case button
        /// Is on or off; activating it asks for the other.
        case toggle(isOn: Bool)
        /// Is one of several; `selected` is `nil` when the present value is none of them.
        case choice(options: [String], selected: Int?)
    }

    /// Its name.
    public var id: ControlID
    /// What kind of control.
    public var kind: Kind
    /// The text on it.
    public var title: String
    /// The symbol on it, where there is one.
    public var symbol: String?
    /// What activating it means.
    public var role: ControlRole
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
        isEnabled: Bool = true,
        accessibilityLabel: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.symbol = symbol
        self.role = role
        self.isEnabled = isEnabled
        self.accessibilityLabel = accessibilityLabel ?? title
    }
}

/// A question over a screen.
public struct ScreenAlert: Sendable, Hashable {
    /// The headline.
    public var title: String
    /// The text beneath; may be empty.
    public var text: String
    /// The answers, in order; at least one.
    public var actions: [ScreenControl]

    /// An alert of these parts.
    public init(title: String, text: String, actions: [ScreenControl]) {
        self.title = title
        self.text = text
        self.actions = actions
    }
}
