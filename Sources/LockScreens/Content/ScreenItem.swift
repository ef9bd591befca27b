/// A chosen item with a name and a label, such as an app.
public struct ScreenItem: Sendable, Hashable, Codable {
    /// The item's name. Systems that draw items themselves use it; other renderers show it if the label is
    /// invisible.
    public var id: ControlID
    /// The item's label. It may be another program's text.
    public var label: String

    /// Makes an item.
    public init(_ id: ControlID, label: String) {
        self.id = id
        self.label = label
    }
}
