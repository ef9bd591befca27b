import LockScreens
import PortcullisCore
import TerminalEmulator
import TerminalScreens

/// A screen of the goal lock, on a terminal that shows what is drawn.
struct FaceStage<Screen: ContentScreen> where Screen.Effect: Equatable {
    private(set) var screen: Screen
    private(set) var face: TerminalScreen
    private(set) var terminal: TerminalEmulator
    private(set) var effects: [Screen.Effect] = []
    /// What was written to the terminal last.
    private(set) var written: [UInt8] = []
    private var shown: Canvas?
    private let abilities: TerminalAbilities

    init(
        _ screen: Screen,
        _ columns: Int,
        _ rows: Int,
        abilities: TerminalAbilities = TerminalAbilities()
    ) {
        self.screen = screen
        self.abilities = abilities
        let size = TerminalSize(columns: columns, rows: rows)
        face = TerminalScreen(screen.content, size: size, abilities: abilities)
        terminal = TerminalEmulator(columns: columns, rows: rows)
        draw()
    }

    /// Hands the model an event that no key is.
    @discardableResult
    mutating func tell(_ event: Screen.Event) -> FaceChange {
        effects = screen.handle(event, at: Moment(wall: .zero, sinceBoot: .zero, boot: BootID("any")))
        let change = face.present(screen.content)
        written = []
        if change != .nothing { draw() }
        return change
    }

    /// Hands over what the terminal sent, in order.
    mutating func press(_ events: TerminalEvent...) {
        effects = []
        for event in events {
            var inputs: [ScreenInput] = []
            face.handle(event) { inputs.append($0) }
            for input in inputs {
                effects += screen.handle(
                    Screen.input(input),
                    at: Moment(wall: .zero, sinceBoot: .zero, boot: BootID("any"))
                )
            }
            _ = face.present(screen.content)
            draw()
        }
    }

    mutating func type(_ text: String) { for scalar in text.unicodeScalars { press(.character(scalar)) } }

    mutating func resize(_ columns: Int, _ rows: Int) {
        terminal.resize(columns: columns, rows: rows)
        face.size = TerminalSize(columns: columns, rows: rows)
        draw()
    }

    private mutating func draw() {
        let canvas = face.painting(shake: 0).canvas
        written = canvas.update(from: shown, colours: abilities.colours)
        terminal.write(written)
        shown = canvas
    }

    /// What a person sees.
    var lines: [String] { terminal.lines }
    var text: String { terminal.text }

    /// The text of the row that is drawn with text and background exchanged.
    var focused: String {
        let canvas = face.painting(shake: 0).canvas
        for y in 0..<canvas.size.rows {
            let row = (0..<canvas.size.columns).map { canvas[x: $0, y: y] }
            let lit = row.filter(\.style.isReversed)
            if !lit.isEmpty { return String(lit.compactMap(\.character)).trimmingBlanks }
        }
        return ""
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        String(trimmingPrefix { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
