public import LockScreens

/// How one kind of screen looks in a terminal, and what keys and clicks mean on it.
///
/// A pure value. The host presents new content, hands it what the terminal sent, passes the inputs on to the
/// screen's model, and writes the difference between two paintings to the terminal.
public protocol TerminalFace<Content, Input>: Sendable {
    /// What the screen shows.
    associatedtype Content: Sendable, Hashable
    /// What the screen's model takes.
    associatedtype Input: Sendable

    /// The terminal's size.
    var size: TerminalSize { get set }

    /// Takes other content.
    ///
    /// - Returns: what that means for the picture.
    mutating func present(_ content: Content) -> FaceChange

    /// The screen as it looks now.
    ///
    /// - Parameter shake: by how many cells what shakes stands to the right of its place.
    func painting(shake: Int) -> Painting

    /// Takes what the terminal sent.
    ///
    /// - Parameters:
    ///   - event: one event.
    ///   - send: gets the inputs for the screen's model, in order.
    mutating func handle(_ event: TerminalEvent, send: (Input) -> Void)
}

/// What other content means for the picture.
public enum FaceChange: Sendable, Hashable {
    /// The picture stays as it is.
    case nothing
    /// It is to be drawn anew.
    case picture
    /// It is to be drawn anew, and shaken for an error.
    case error
}

extension TerminalScreen: TerminalFace {
    /// Takes other content; an error shakes the entry.
    public mutating func present(_ new: ScreenContent) -> FaceChange {
        guard new != content else { return .nothing }
        return show(new) ? .error : .picture
    }
}
