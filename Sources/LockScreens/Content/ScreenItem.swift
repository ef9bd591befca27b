/// Something with a name and a label, such as an app that was chosen.
public struct ScreenItem: Sendable, Hashable, Codable {
    /// Its name, for systems that draw it themselves; shown where nothing can be seen of the label.
    public var id: ControlID
    /// What the person calls it; perhaps another program's text.
    public var label: String

    /// An item of these parts.
    public init(_ id: ControlID, label: String) {
        self.id = id
        self.label = label
    }
}
