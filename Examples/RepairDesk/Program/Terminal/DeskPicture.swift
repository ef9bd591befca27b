internal import Observation
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop
internal import TerminalHost
internal import TerminalScreens

/// Draws the desk on the stage, and passes the keys on to the desk.
@MainActor
final class DeskPicture: StageLayer {
    private enum Face {
        case cover
        case page(PageFace)
        case screen(TerminalScreen)
    }

    private let desk: Desk
    private let mails: DemoMail?
    private let abilities: TerminalAbilities
    private let changed: @Sendable () -> Void
    private var face = Face.cover
    /// The size of the window.
    var size: TerminalSize

    /// The picture of a desk.
    ///
    /// - Parameter changed: called once after each ``refresh()``, when something is about to change.
    init(
        of desk: Desk,
        mails: DemoMail?,
        on terminal: Terminal,
        changed: @escaping @Sendable () -> Void
    ) {
        (self.desk, self.mails, self.changed) = (desk, mails, changed)
        abilities = terminal.abilities
        size = terminal.size
    }

    /// Shows a desk until it is closed or a signal ends it.
    ///
    /// A window that has lost the focus, a program that is suspended, and a machine that sleeps count as an app
    /// in the background.
    ///
    /// - Returns: 0, or 128 + the number of the signal.
    static func show(
        _ desk: Desk,
        mails: DemoMail?,
        on terminal: Terminal,
        clock: any LockClock
    ) async throws(TerminalHostError) -> Int32 {
        let stage = try ScreenStage(
            on: terminal,
            title: "RepairDesk",
            clock: clock,
            focusChanged: { isFocused in await desk.phaseChanged(to: isFocused ? .active : .background) },
            wasAway: { moment in await desk.wasAway(since: moment) }
        )
        let picture = DeskPicture(of: desk, mails: mails, on: terminal) { stage.layerChanged() }
        var launch: Task<Void, Never>?
        let ending = try await stage.run {
            stage.show(picture)
            launch = Task { await desk.launch() }
        }
        launch?.cancel()
        return if case .signal(let number) = ending { 128 + number } else { 0 }
    }

    func handle(_ key: TerminalEvent) async {
        await desk.personWasActive()
        // Each input is passed on at once, because a list of inputs would be a copy of a passcode.
        switch face {
        case .cover: break
        case .page(var page):
            page.handle(key) { desk.send($0) }
            face = .page(page)
        case .screen(var screen):
            screen.handle(key) { desk.send($0) }
            face = .screen(screen)
        }
    }

    func refresh() -> FaceChange {
        let (shown, _) = withObservationTracking {
            (desk.shown, mails?.last)
        } onChange: { [changed] in
            changed()
        }
        var isError = false
        switch (shown, face) {
        case (.cover, _):
            face = .cover
        case (.page(let content), .page(var page)):
            _ = page.present(content)
            face = .page(page)
        case (.page(let content), _):
            face = .page(PageFace(content, size: size))
        case (.screen(let content), .screen(var screen)):
            isError = screen.present(content) == .error
            face = .screen(screen)
        case (.screen(let content), _):
            face = .screen(TerminalScreen(content, size: size, abilities: abilities))
        }
        return isError ? .error : .picture
    }

    func painting(shake: Int) -> Painting {
        // Mails have rows of their own, below what is shown; the code stands in the first of them.
        let mail = mails?.last.map { ForeignText.lines($0, width: size.columns).prefix(size.rows / 8) } ?? []
        let rest = TerminalSize(columns: size.columns, rows: size.rows - mail.count)
        var picture = Canvas(size: size)
        switch face {
        case .cover:
            picture.draw("RepairDesk", x: max(0, rest.columns / 2 - 5), y: rest.rows / 2)
        case .page(var page):
            page.size = rest
            face = .page(page)
            picture.draw(page.painting(shake: shake).canvas, x: 0, y: 0)
        case .screen(var screen):
            screen.size = rest
            face = .screen(screen)
            picture.draw(screen.painting(shake: shake).canvas, x: 0, y: 0)
        }
        for (row, line) in mail.enumerated() {
            picture.draw(line, x: 0, y: rest.rows + row, style: CellStyle(dim: true))
        }
        return Painting(canvas: picture)
    }

    func watch(_ isWatched: Bool) {}
    func dismiss() {}
}
