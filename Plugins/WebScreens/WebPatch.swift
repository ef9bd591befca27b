/// The changes that bring a page from an earlier revision of a screen to the present one. The changes contain
/// no secret.
public struct WebPatch: Sendable, Hashable, Encodable {
    /// The revision after which the changes begin. A page whose own revision is lower lacks earlier changes,
    /// so it does not apply these changes and requests all changes that it needs.
    public var since: Int
    /// The revision of the page after the changes.
    public var revision: Int
    /// The title of the page.
    public var title: String
    /// The new HTML of each changed element, by the element's `id`.
    public var regions: [String: String]
    /// The number of typed characters; `nil` on a screen without an entry.
    public var filled: Int?
    /// The number of errors so far that shake the entry; see ``/LockScreens/ScreenContent/shakes``.
    public var shakes: Int
    /// The number of successes so far; see ``/LockScreens/ScreenContent/successes``.
    public var successes: Int
    /// Whether the screen is waiting for the end of an operation, such as the check of a passcode.
    public var isBusy: Bool
    /// Whether a question covers the screen.
    public var isAsking: Bool
}
