/// All that a screen shows at an instant, in words and numbers: what a terminal, a web page or SwiftUI draws.
///
/// No secret is in it; of what was typed it has the count only. A screen has an entry, or lists, cards and texts, not both.
public struct ScreenContent: Sendable, Hashable, Codable {
    /// The title, such as "Enter Passcode".
    public var title: String
    /// The symbol beside the title, such as `lock.shield.fill`.
    public var symbol: String
    /// What is asked for now, such as "Confirm new passcode"; empty where the title says it.
    public var prompt: String
    /// Which of several steps this is; `nil` where there is one.
    public var step: ScreenStep?
    /// Cards of which one is in front; `nil` for none.
    public var cards: CardDeck?
    /// A row of icons; `nil` for none.
    public var icons: IconRow?
    /// What narrows a list; `nil` for a screen without one.
    public var search: SearchField?
    /// What has been typed; `nil` on a screen where nothing is.
    public var entry: EntryContent?
    /// The keys 1–9, blank, 0, delete; `nil` where a text field or nothing is used.
    public var pad: NumberPad?
    /// What a reader asks for while a prompt is up that the system does not draw; `nil` for none.
    public var hint: ScreenHint?
    /// A line beneath the entry; `nil` for none.
    public var message: ScreenMessage?
    /// Rises by one with each error that shakes the entry.
    public var shakes: Int
    /// Rises by one with each right passcode, match or finished act, which a renderer may tell by a tone or by touch.
    public var successes: Int
    /// Whether a verification or a request runs; input is ignored meanwhile.
    public var isBusy: Bool
    /// Whether input is ignored for a moment though nothing runs, so that a person can read what went wrong.
    public var isPaused: Bool
    /// Buttons, switches, choices and rows of lists, in order.
    public var controls: [ScreenControl]
    /// What can be read beneath the lists, in order.
    public var texts: [ScreenText]
    /// A question over the screen that must be answered first; `nil` for none.
    public var alert: ScreenAlert?

    /// A content of these parts.
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

    /// Whether what a person does now is heard: by the alert, where there is one, else by the enabled controls and the entry.
    /// During a delay, while ``message`` counts down, the entry takes nothing and the controls do.
    public var takesInput: Bool { !isBusy && !isPaused }
}
