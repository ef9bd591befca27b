public import GoalLock
internal import LockScreens
internal import PortcullisCore

/// The settings of the goal lock in a terminal.
public struct GoalSettingsFace: TerminalFace {
    private var stand: SheetStand
    private var content: GoalSettingsScreen.Content

    private static let toggle = ControlID("enable")
    private static let select = ControlID("select")

    /// Settings with their first content.
    public init(
        _ content: GoalSettingsScreen.Content,
        size: TerminalSize,
        abilities: TerminalAbilities = TerminalAbilities()
    ) {
        self.content = content
        stand = SheetStand(size: size, abilities: abilities, focus: .control(Self.toggle))
    }

    /// The terminal's size.
    public var size: TerminalSize {
        get { stand.size }
        set { stand.size = newValue }
    }

    /// Takes other content; the focus waits on the switch while that is busy.
    public mutating func present(_ new: GoalSettingsScreen.Content) -> FaceChange {
        guard new != content else { return .nothing }
        content = new
        return .picture
    }

    /// The screen as it looks now.
    public func painting(shake: Int) -> Painting {
        guard let alert else { return stand.painting(of: sheet) }
        guard ScreenPainter.isEnough(size), stand.painter.hasRoom(for: alert, size: size) else {
            return stand.painting(of: alertSheet(alert))
        }
        var painting = stand.painting(of: sheet)
        stand.painter.paint(alert, focus: .control(.ok), on: &painting)
        return painting
    }

    // MARK: Drawing

    private var alert: ScreenAlert? {
        content.alert.map { alert in
            // The system's own words, perhaps in several lines.
            let lines = alert.text.split(whereSeparator: \.isNewline).map { ForeignText.tidy(String($0)) }
            return ScreenAlert(
                title: alert.title,
                text: lines.joined(separator: "\n"),
                actions: [ScreenControl(.ok, title: alert.button)]
            )
        }
    }

    private func alertSheet(_ alert: ScreenAlert) -> Sheet {
        Sheet(
            title: alert.title,
            body: Sheet.text(alert.text, width: SheetLayout.width(size)),
            buttons: alert.actions,
            hints: ["return closes", "arrows scroll"]
        )
    }

    private var sheet: Sheet {
        let glyphs = stand.glyphs
        let width = SheetLayout.width(size)
        var sheet = Sheet(
            symbol: "lock.app.dashed",
            title: content.title,
            buttons: [ScreenControl(.done, title: content.done)],
            hints: ["arrows move", "space sets", "esc leaves", "return chooses"]
        )
        let isOpen = !content.isBusy
        sheet.body.append(
            Sheet.Line(
                kind: .item(.control(Self.toggle), isEnabled: true),
                text: " " + content.toggle,
                trailing: content.isBusy ? glyphs.working : content.isOn ? glyphs.on : glyphs.off,
                style: CellStyle(.accent, dim: !isOpen)
            )
        )
        if let selectApps = content.selectApps {
            sheet.body.append(
                Sheet.Line(
                    kind: .item(.control(Self.select), isEnabled: true),
                    text: " " + selectApps,
                    trailing: glyphs.onward,
                    style: CellStyle(.accent, dim: !isOpen)
                )
            )
        }
        for chosen in content.chosen {
            let label = ForeignText.line(chosen.label, or: chosen.name)
            sheet.body.append(Sheet.Line(kind: .text, text: "   " + glyphs.bullet + " " + label))
        }
        if let message = content.message {
            sheet.body.append(Sheet.gap)
            let text = ForeignText.tidy(message)
            sheet.body += Sheet.text(text, width: width - 2, style: CellStyle(.warning)).map(Self.indented)
        }
        sheet.body.append(Sheet.gap)
        sheet.body += Sheet.text(content.note, width: width - 2, style: CellStyle(dim: true)).map(
            Self.indented
        )
        if !content.features.isEmpty { sheet.body.append(Sheet.gap) }
        for feature in content.features {
            for (place, line) in CellWidth.wrap(feature, to: width - 3).enumerated() {
                let mark = place == 0 ? glyphs.bullet : " "
                sheet.body.append(Sheet.Line(kind: .text, text: " " + mark + " " + line))
            }
        }
        return sheet.fitting(size)
    }

    private static func indented(_ line: Sheet.Line) -> Sheet.Line {
        var line = line
        line.text = " " + line.text
        return line
    }

    // MARK: Input

    /// Takes what the terminal sent.
    public mutating func handle(_ event: TerminalEvent, send: (GoalSettingsScreen.Event) -> Void) {
        if let alert { return handle(event, over: alert, send: send) }
        if event == .key(.escape) { return send(.done) }
        switch stand.handle(event, on: sheet) {
        case .control(Self.toggle): send(.toggle)
        case .control(Self.select): send(.selectApps)
        case .control(.done): send(.done)
        default: break
        }
    }

    private mutating func handle(
        _ event: TerminalEvent,
        over alert: ScreenAlert,
        send: (GoalSettingsScreen.Event) -> Void
    ) {
        switch event {
        case .key(.escape), .key(.enter), .character(" "): break
        case .press(0, let x, let y):
            guard painting(shake: 0).target(x: x, y: y) == .control(.ok) else { return }
        default:
            _ = stand.handle(event, on: alertSheet(alert))
            return
        }
        stand.setFocus(.control(Self.toggle), on: sheet)
        send(.alertClosed)
    }
}
