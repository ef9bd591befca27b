internal import LockScreens
internal import Observation
internal import PortcullisCore
public import TerminalScreens

/// A picture on a ``ScreenStage``, whatever it shows.
///
/// Screens of this package need none: ``ScreenStage/show(_:watched:)`` takes their presenters. A host that draws something of its
/// own, or several things in one picture, makes a layer for it.
@MainActor
public protocol StageLayer: AnyObject {
    /// The terminal's size; the stage sets it before it asks for a picture.
    var size: TerminalSize { get set }

    /// Takes what was typed; what is typed next comes when it returns.
    func handle(_ event: TerminalEvent) async

    /// Takes what is to be shown now, and asks to be told of the next change: that is to be followed by one call of
    /// ``ScreenStage/layerChanged()``.
    ///
    /// - Returns: what has changed since the last call.
    func refresh() -> FaceChange

    /// The picture.
    ///
    /// - Parameter shake: how many cells to the right what shakes is drawn, after a change that was an error.
    func painting(shake: Int) -> Painting

    /// Whether a person looks at the terminal, as far as its focus tells; where not, nothing need move by itself.
    func watch(_ isWatched: Bool)

    /// It was taken off the stage.
    func dismiss()
}

/// A layer that shows a presenter's screen.
@MainActor
protocol PresentedLayer: StageLayer {
    /// Whether it is this presenter's.
    func shows(_ presenter: AnyObject) -> Bool
}

/// A screen, bound to how it looks in a terminal.
@MainActor
final class PresentedScreen<Screen: ContentScreen>: PresentedLayer {
    private let presenter: ScreenPresenter<Screen>
    private let watched: (@MainActor (Bool) -> Screen.Event)?
    private let changed: @Sendable () -> Void
    private var face: TerminalScreen

    /// - Parameters:
    ///   - presenter: the screen.
    ///   - size: the terminal's.
    ///   - abilities: the terminal's.
    ///   - watched: the event that tells the screen whether a person looks at the terminal; `nil`: none.
    ///   - changed: called once after each ``refresh()``, when the screen is about to change.
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
        // Handed on as they come: a list of inputs would be a copy of a passcode.
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
