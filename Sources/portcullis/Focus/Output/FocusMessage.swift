internal import PortcullisCore

/// What `focus run` has to say.
enum FocusMessage: Sendable, Hashable {
    /// What something that went wrong is about.
    enum Subject: String, Sendable, Hashable {
        case progress, lock, shield
    }

    /// The lock changed.
    case status(FocusView)
    /// A new day began, and with it a new count.
    case day(CivilDate)
    /// An app was started while the lock was so, and is shut.
    case started(FocusStart, FocusView)
    /// Something went wrong, and is told once.
    case problem(Subject, String)
    /// It is all right again.
    case solved(Subject)
    /// What the progress was read of is this date and not the present one, which nothing counts for yet.
    case stale(CivilDate, today: CivilDate)
    /// What is read is of the present date again.
    case current
    /// The run is over.
    case ended(FocusEnding)
}

/// The start of an app that is shut.
struct FocusStart: Sendable, Hashable {
    var token: String
    var label: String
    /// Whether it did not even begin, rather than was stopped right after.
    var isDenied: Bool
}

/// Why a run is over.
enum FocusEnding: Sendable, Hashable {
    /// Today's goal is reached, and that was all that was asked for.
    case reached
    /// The lock was switched off, here or elsewhere.
    case released
    /// No more progress will come.
    case inputEnded
    /// A signal asked for it; a terminal or reader that is gone comes as its signal.
    case signal(Int32)

    /// The exit status.
    ///
    /// - Parameter isOnce: whether reaching the goal was all that was asked for: then any other ending is a "no".
    func status(isOnce: Bool) -> Int32 {
        switch self {
        case .reached: 0
        case .released, .inputEnded: isOnce ? ToolExit.no.rawValue : 0
        case .signal(let number): 128 + number
        }
    }

    /// The ending's stable name in JSON.
    var name: String {
        switch self {
        case .reached: "reached"
        case .released: "released"
        case .inputEnded: "inputEnded"
        case .signal: "signal"
        }
    }

    /// What a person is told.
    ///
    /// - Parameter isShut: whether apps are shut at that moment.
    func text(isShut: Bool) -> String {
        let stays =
            isShut
            ? "What is shut stays shut; `portcullis focus release` opens it."
            : "Apps are shut again on the next day's first `portcullis focus run`."
        return switch self {
        case .reached: "The goal is reached. \(stays)"
        case .released: "App Lock was switched off; apps are open."
        case .inputEnded: "The input ended. \(stays)"
        case .signal: "Stopped watching. \(stays)"
        }
    }
}
