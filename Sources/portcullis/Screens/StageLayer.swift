internal import LockScreens
internal import Observation
internal import PortcullisCore
internal import TerminalScreens

/// A screen on the stage, whatever it shows.
@MainActor
protocol StageLayer: AnyObject {
    var size: TerminalSize { get set }
    func handle(_ event: TerminalEvent)
    /// Takes what the screen shows now, and asks to be told of the next change.
    func refresh() -> FaceChange
    func painting(shake: Int) -> Painting
    func dismiss()
    /// Tells whether a person looks at the terminal; where not, nothing need move by itself.
    func watch(_ isWatched: Bool)
    func shows(_ presenter: AnyObject) -> Bool
}

/// A screen, bound to how it looks in a terminal.
@MainActor
final class PresentedScreen<Screen: ScreenModel, Face: TerminalFace>: StageLayer
where Face.Content == Screen.Content {
    private let presenter: ScreenPresenter<Screen>
    private let input: @MainActor (Face.Input) -> Screen.Event
    private let watched: (@MainActor (Bool) -> Screen.Event)?
    private let changed: @Sendable () -> Void
    private var face: Face

    /// - Parameters:
    ///   - presenter: the screen.
    ///   - face: how it looks.
    ///   - input: the event that an input is to the screen.
    ///   - watched: the event that tells the screen whether a person looks at the terminal; `nil`: none.
    ///   - changed: called once after each ``refresh()``, when the screen is about to change.
    init(
        _ presenter: ScreenPresenter<Screen>,
        face: Face,
        input: @escaping @MainActor (Face.Input) -> Screen.Event,
        watched: (@MainActor (Bool) -> Screen.Event)? = nil,
        changed: @escaping @Sendable () -> Void
    ) {
        self.presenter = presenter
        self.face = face
        self.input = input
        self.watched = watched
        self.changed = changed
    }

    var size: TerminalSize {
        get { face.size }
        set { face.size = newValue }
    }

    func handle(_ event: TerminalEvent) {
        // Handed on as they come: a list of inputs would be a copy of a passcode.
        face.handle(event) { presenter.handle(input($0)) }
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
