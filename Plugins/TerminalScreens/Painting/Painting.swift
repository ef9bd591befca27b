public import LockScreens

/// Something on a screen that can be focused or clicked.
public enum ScreenTarget: Sendable, Hashable {
    /// A digit key of the pad.
    case digit(Int)
    /// The delete key of the pad.
    case delete
    /// A control other than a choice, or an action of an alert.
    case control(ControlID)
    /// An option of a choice, by its index.
    case option(ControlID, Int)
}

/// A drawn screen with its clickable areas.
public struct Painting: Sendable {
    /// The drawing.
    public var canvas: Canvas
    /// The clickable areas with their targets. Where areas overlap, a click goes to the last of them.
    public var targets: [(area: CellArea, target: ScreenTarget)]

    /// Creates a painting, for an app's own screens.
    public init(canvas: Canvas, targets: [(area: CellArea, target: ScreenTarget)] = []) {
        self.canvas = canvas
        self.targets = targets
    }

    /// The target at a cell; `nil` if there is none.
    public func target(x: Int, y: Int) -> ScreenTarget? {
        targets.last { $0.area.contains(x: x, y: y) }?.target
    }

    /// Draws a text in the middle of a row.
    mutating func drawCentred(_ text: String, y: Int, style: CellStyle = CellStyle(), shift: Int = 0) {
        canvas.draw(text, x: (canvas.size.columns - CellWidth.of(text)) / 2 + shift, y: y, style: style)
    }

    /// Draws a frame along the border of an area.
    mutating func frame(_ area: CellArea, _ glyphs: Glyphs, style: CellStyle) {
        let box = glyphs.box
        let bar = String(repeating: box[1], count: max(0, area.width - 2))
        canvas.draw(box[0] + bar + box[2], x: area.x, y: area.y, style: style)
        for y in (area.y + 1)..<max(area.y + 1, area.y + area.height - 1) {
            canvas.draw(box[3], x: area.x, y: y, style: style)
            canvas.draw(box[3], x: area.x + area.width - 1, y: y, style: style)
        }
        canvas.draw(box[4] + bar + box[5], x: area.x, y: area.y + area.height - 1, style: style)
    }
}
