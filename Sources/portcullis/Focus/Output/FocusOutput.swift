internal import GoalLock

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Where a run's messages go. It never waits for its reader.
protocol FocusOutput: Sendable {
    /// Says something.
    func show(_ message: GoalMessage)

    /// Takes a notification, as the line that the notifier made of it.
    func notify(_ line: [UInt8])

    /// Draws anew what has changed with time; `true`: all of it, because the window is another.
    func redraw(all: Bool)

    /// Leaves a clean line, and returns when all was written so far.
    func settle() async
}

extension GoalEnding {
    /// The exit status.
    ///
    /// - Parameter isOnce: whether reaching the goal was all that was asked for: then any other ending is a "no".
    func status(isOnce: Bool) -> Int32 {
        switch self {
        case .reached: 0
        case .released, .inputEnded: isOnce ? ToolExit.no.rawValue : 0
        case .signal(let number): 128 + number
        case .cancelled: 128 + SIGTERM
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
        case .signal, .cancelled: "Stopped watching. \(stays)"
        }
    }
}
