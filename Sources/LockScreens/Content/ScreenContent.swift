/// The content that a screen shows at an instant, as texts and numbers. A terminal, a web page or SwiftUI
/// draws it.
///
/// The content holds no secret. It contains the number of a passcode's typed characters, but not the
/// characters. A screen has either an entry, or lists, cards and texts.
public struct ScreenContent: Sendable, Hashable, Codable {
    /// The title, such as "Enter Passcode".
    public var title: String
    /// The symbol beside the title, such as `lock.shield.fill`.
    public var symbol: String
    /// The request to the person, such as "Confirm new passcode"; empty if the title contains the request.
    public var prompt: String
    /// The number of the step; `nil` on a screen of one step.
    public var step: ScreenStep?
    /// The cards; `nil` on a screen without cards.
    public var cards: CardDeck?
    /// The row of icons; `nil` on a screen without icons.
    public var icons: IconRow?
    /// The search field that filters a list; `nil` on a screen without a search.
    public var search: SearchField?
    /// The state of the passcode entry; `nil` on a screen without an entry.
    public var entry: EntryContent?
    /// The number pad; `nil` on a screen with a text field or without an entry.
    public var pad: NumberPad?
    /// The request of a biometric reader or a similar device to the person, such as a request for a touch;
    /// `nil` if there is no request or the system itself shows the request.
    public var hint: ScreenHint?
    /// The line with an error, a notice or the time to wait; `nil` if there is no message.
    public var message: ScreenMessage?
    /// A number that rises by one with each error that shakes the entry.
    public var shakes: Int
    /// A number that rises by one with each correct passcode, biometric match or finished action. When the
    /// number rises, a renderer may play a tone or vibrate.
    public var successes: Int
    /// Whether a check or a request is under way. Meanwhile only enabled controls accept input.
    public var isBusy: Bool
    /// Whether the entry ignores input for a short time so that the person can read an error. During this
    /// pause no request is under way.
    public var isPaused: Bool
    /// The buttons, switches, choices and rows of lists, in order.
    public var controls: [ScreenControl]
    /// The texts below the lists, in order.
    public var texts: [ScreenText]
    /// The question that the person has to answer first; `nil` if there is no question.
    public var alert: ScreenAlert?

    /// Makes the content of a screen.
    public init(
        title: String,
        symbol: String,
        prompt: String = "",
        step: ScreenStep? = nil,
        cards: CardDeck? = nil,
        icons: IconRow? = nil,
        search: SearchField? = nil,
        entry: EntryContent? = nil,
        pad: NumberPad? = nil,
        hint: ScreenHint? = nil,
        message: ScreenMessage? = nil,
        shakes: Int = 0,
        successes: Int = 0,
        isBusy: Bool = false,
        isPaused: Bool = false,
        controls: [ScreenControl] = [],
        texts: [ScreenText] = [],
        alert: ScreenAlert? = nil
    ) {
        self.title = title
        self.symbol = symbol
        self.prompt = prompt
        self.step = step
        self.cards = cards
        self.icons = icons
        self.search = search
        self.entry = entry
        self.pad = pad
        self.hint = hint
        self.message = message
        self.shakes = shakes
        self.successes = successes
        self.isBusy = isBusy
        self.isPaused = isPaused
        self.controls = controls
        self.texts = texts
        self.alert = alert
    }

    /// Whether the screen is neither busy nor paused. If so, an alert receives the input. Without an alert,
    /// the enabled controls and the entry receive the input. During a delay, while ``message`` counts down,
    /// the controls accept input, but the entry does not.
    public var takesInput: Bool { !isBusy && !isPaused }
}
