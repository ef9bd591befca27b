/// Where a run's messages go. It never waits for its reader.
protocol FocusOutput: Sendable {
    /// Says something.
    func show(_ message: FocusMessage)

    /// Takes a notification, as the line that the notifier made of it.
    func notify(_ line: [UInt8])

    /// Draws anew what has changed with time; `true`: all of it, because the window is another.
    func redraw(all: Bool)

    /// Leaves a clean line, and returns when all was written so far.
    func settle() async
}
