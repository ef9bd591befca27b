internal import GoalLock

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The output of a run's messages. Only ``notify(_:)`` and ``settle()`` may wait for the reader.
protocol FocusOutput: Sendable {
    /// Writes a message.
    func show(_ message: GoalMessage)

    /// Writes a notification, which the notifier has already formatted as a line.
    func notify(_ line: [UInt8])

    /// Redraws the parts that change with time. `all`: whether to redraw everything, as after a resize.
    func redraw(all: Bool)

    /// Returns when everything has been written.
    func settle() async
}

extension GoalEnding {
    /// The exit status of a run.
    ///
    /// - Parameter isOnce: whether the run was started only to wait for the goal. If so, the exit status is
    ///   ``ToolExit/no`` when the lock is switched off or the source of progress ends.
    func status(isOnce: Bool) -> Int32 {
        switch self {
        case .reached: 0
        case .released, .inputEnded: isOnce ? ToolExit.no.rawValue : 0
        case .signal(let number): 128 + number
        case .cancelled: 128 + SIGTERM
        }
    }

    /// The text that explains the ending to a person.
    ///
    /// - Parameter isShut: whether apps are shut when the run ends.
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
