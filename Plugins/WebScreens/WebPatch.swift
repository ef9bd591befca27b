/// What a page has to replace to show a screen as it is now. No secret is in it.
public struct WebPatch: Sendable, Hashable, Encodable {
    /// The revision that a page must have at least; one with an older page asks anew.
    public var since: Int
    /// The revision that the page has afterwards.
    public var revision: Int
    /// The title of the page.
    public var title: String
    /// The new HTML of each element, by its `id`.
    public var regions: [String: String]
    /// How many characters were typed; `nil` on a screen without an entry.
    public var filled: Int?
    /// See ``/LockScreens/ScreenContent/shakes``.
    public var shakes: Int
    /// See ``/LockScreens/ScreenContent/successes``.
    public var successes: Int
    /// Whether an act is under way.
    public var isBusy: Bool
    /// Whether a question lies over the screen.
    public var isAsking: Bool
}
