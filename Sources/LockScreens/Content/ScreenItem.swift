/// A chosen item with a name and a label, such as an app.
public struct ScreenItem: Sendable, Hashable, Codable {
    /// The item's name. Systems that draw items themselves find an item by its name. Other renderers show the
    /// name if the label contains nothing visible.
    public var id: ControlID
    /// The item's label. It may be another program's text.
    public var label: String

    /// Makes an item.
    public init(_ id: ControlID, label: String) {
        self.id = id
        self.label = label
    }
}
