/// A part of a page that is replaced as a whole when it changes.
///
/// The raw value is the `id` of the region's element. A screen reader announces a change inside of a live
/// region, but not a new live region. So the elements of all regions exist from the start.
enum ScreenRegion: String, CaseIterable, Sendable {
    /// Symbol, title and step.
    case head
    /// The prompt for the entry, or the hint of a biometric reader.
    case prompt
    /// Cards and icons.
    case cards
    /// The search field that filters a list.
    case search
    /// The summary of the list, such as the number of hits.
    case summary
    /// The dots.
    case entry
    /// The text that tells a screen reader how much was typed.
    case typed
    /// The field for text.
    case field
    /// An error.
    case error
    /// A notice.
    case notice
    /// A count-down.
    case timer
    /// The number pad.
    case pad
    /// Buttons, switches, choices and lists.
    case controls
    /// Texts that the person reads.
    case texts
    /// A question that covers the whole screen.
    case dialog

    /// The regions that a question covers.
    static let beneath = allCases.filter { $0 != .dialog }

    /// Whether the region shows an error, a notice or a count-down.
    var isMessage: Bool { self == .error || self == .notice || self == .timer }

    /// The attributes of the region's element.
    var attributes: Markup.Attributes {
        switch self {
        case .error: ["id": .text(rawValue), "class": .text("message error"), "role": .text("alert")]
        case .notice: ["id": .text(rawValue), "class": .text("message"), "role": .text("status")]
        case .timer:
            [
                "id": .text(rawValue), "class": .text("message"), "role": .text("timer"),
                "aria-live": .text("off"),
            ]
        case .typed, .summary:
            [
                "id": .text(rawValue), "class": .text(self == .typed ? "unseen" : "summary"),
                "role": .text("status"),
            ]
        default: ["id": .text(rawValue)]
        }
    }
}
