internal import LockScreens
internal import Observation
internal import PortcullisCore
public import TerminalScreens

/// A picture on a ``ScreenStage``.
///
/// Screens of this package need no layer of the host: ``ScreenStage/show(_:watched:)`` accepts their
/// presenters. A host makes a layer for pictures of its own, or for several things in one picture.
@MainActor
public protocol StageLayer: AnyObject {
    /// The terminal's size. The stage sets the size before it asks for a picture.
    var size: TerminalSize { get set }

    /// Handles an input event. The stage sends the next event after the call has returned.
    func handle(_ event: TerminalEvent) async

    /// Updates the layer to its current content, and begins to observe the next change. The layer reports
    /// that change with one call of ``ScreenStage/layerChanged()``.
    ///
    /// - Returns: the kind of change since the last call.
    func refresh() -> FaceChange

    /// Returns the picture.
    ///
    /// - Parameter shake: the number of cells by which a part of the picture is moved to the right. The part
    ///   shakes after an error.
    func painting(shake: Int) -> Painting

    /// Tells the layer whether a person looks at the terminal. While no person looks, moving parts may stand
    /// still.
    func watch(_ isWatched: Bool)

    /// Tells the layer that it was removed from the stage.
    func dismiss()
}

/// A layer that shows a presenter's screen.
@MainActor
protocol PresentedLayer: StageLayer {
    /// Whether the layer shows this presenter's screen.
    func shows(_ presenter: AnyObject) -> Bool
}

/// A screen together with its appearance on a terminal.
@MainActor
final class PresentedScreen<Screen: ContentScreen>: PresentedLayer {
    private let presenter: ScreenPresenter<Screen>
    private let watched: (@MainActor (Bool) -> Screen.Event)?
    private let changed: @Sendable () -> Void
    private var face: TerminalScreen

    /// - Parameters:
    ///   - presenter: the screen.
    ///   - size: the terminal's size.
    ///   - abilities: the terminal's abilities.
    ///   - watched: makes the event that tells the screen whether a person looks at it; `nil` if the screen
    ///     has no such event.
    ///   - changed: called when the screen is about to change for the first time after a ``refresh()``.
    ///     Further changes cause no call before the next ``refresh()``.
    init(
        _ presenter: ScreenPresenter<Screen>,
        size: TerminalSize,
        abilities: TerminalAbilities,
        watched: (@MainActor (Bool) -> Screen.Event)? = nil,
        changed: @escaping @Sendable () -> Void
    ) {
        self.presenter = presenter
        self.watched = watched
        self.changed = changed
        face = TerminalScreen(presenter.content, size: size, abilities: abilities)
    }

    var size: TerminalSize {
        get { face.size }
        set { face.size = newValue }
    }

    func handle(_ event: TerminalEvent) {
        // Each input is passed on at once. A list that collects the inputs would hold a copy of a typed
        // passcode.
        face.handle(event) { presenter.send($0) }
    }

    func refresh() -> FaceChange {
        let content = withObservationTracking({ presenter.content }, onChange: changed)
        return face.present(content)
    }

    func painting(shake: Int) -> Painting { face.painting(shake: shake) }

    func watch(_ isWatched: Bool) {
        if let event = watched?(isWatched) { presenter.handle(event) }
    }

    func dismiss() { presenter.dismiss() }

    func shows(_ presenter: AnyObject) -> Bool { presenter === self.presenter }
}
