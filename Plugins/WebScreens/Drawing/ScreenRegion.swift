/// A part of a page that is replaced as a whole when it changes.
///
/// Its raw value is the `id` of the element that holds it. The elements are there from the start: a screen reader
/// announces what changes in a live region, not one that appears.
enum ScreenRegion: String, CaseIterable, Sendable {
    /// Symbol, title and step.
    case head
    /// What is asked for, and what a reader asks for.
    case prompt
    /// Cards and icons.
    case cards
    /// The field that narrows a list.
    case search
    /// What is said of the list.
    case summary
    /// The dots.
    case entry
    /// How much was typed, for a screen reader.
    case typed
    /// The field for text.
    case field
    /// An error.
    case error
    /// Something to know.
    case notice
    /// A count-down.
    case timer
    /// The number pad.
    case pad
    /// Buttons, switches, choices and lists.
    case controls
    /// Texts to be read.
    case texts
    /// A question over all of it.
    case dialog

    /// Those that lie beneath the question.
    static let beneath = allCases.filter { $0 != .dialog }

    /// Whether it is one of those that tell how it went.
    var isMessage: Bool { self == .error || self == .notice || self == .timer }

    /// The attributes of the element that holds it.
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
