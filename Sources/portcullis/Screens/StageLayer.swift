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
final class PresentedScreen<Screen: ContentScreen>: StageLayer {
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
