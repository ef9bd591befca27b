/// All that a screen shows at an instant, in words and numbers: what a terminal, a web page or SwiftUI draws.
///
/// No secret is in it; of what was typed it has the count only.
public struct ScreenContent: Sendable, Hashable, Codable {
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
