/// Keeps chosen apps shut.
///
/// The smallest promise that a system's screen-time service and a helper that stops processes can both give. Tokens
/// are opaque to all other code; a person finds them in ``catalogue()`` or in the system's own picker.
///
/// ## For callers
/// - Several named shields unite: an app is shut while any shield that names it, or a category it belongs to, is up.
/// - Applying a shield again replaces its selection; applying the same is harmless, and has whatever came in its way
///   meanwhile looked at again. Applying an empty selection is clearing. Clearing one that is not up is harmless.
/// - What really is in force is in ``coverage()``: a platform may resolve or stop less than was asked.
/// - The right to shield can be taken away at any time. ``authorization`` then says so, and whether apps stay shut is
///   the platform's to decide; clear what should not come back with the right.
/// - An app goes on where it was when its last shield is taken down, where the platform can do that.
///
/// ## For implementers
/// - Without authorization ``apply(_:as:)`` throws ``ShieldErrorCode/notAuthorized`` and changes nothing.
///   ``clear(_:)`` needs none, so that the way out is always open.
/// - A token that names nothing here is reported by ``coverage()`` as ``ShieldCoverage/State/unresolved``, one that
///   must not be shielded as ``ShieldCoverage/State/refused(reason:)``. Neither is an error, and the other tokens of
///   the selection are in force all the same.
/// - A call that throws changed nothing that ``coverage()`` shows: of an apply that fails the earlier selection stays,
///   of a clear that fails the shield.
/// - When a call returns, what it asked for is in force: what should be shut is stopped, what should not goes on.
/// - Calls may come from many tasks at once. Calls about one shield take effect one after the other.
/// - A cancelled task's call either takes effect or throws.
/// - No call blocks a thread of Swift's shared pool or the main actor.
/// - Shields hold over restarts of the app as the adapter's documentation says.
/// - Prove it with the contract suite in `PortcullisTesting`.
public protocol ShieldController: Sendable {
    /// Whether apps may be shielded now, without asking.
    var authorization: ShieldAuthorization { get async }

    /// Asks for the right to shield, where the platform wants to be asked.
    ///
    /// - Returns: the answer, which ``authorization`` gives too from then on; never
    ///   ``ShieldAuthorization/notDetermined`` unless the person put the question off. A second call after a denial may
    ///   return it without asking.
    func requestAuthorization() async -> ShieldAuthorization

    /// Puts a shield up, or replaces its selection.
    ///
    /// - Parameters:
    ///   - selection: what is to be shut; empty: the shield is taken down.
    ///   - shield: its name.
    /// - Throws: ``ShieldError``: ``ShieldErrorCode/notAuthorized`` without the right,
    ///   ``ShieldErrorCode/stateUnreadable`` when the controller cannot remember what it does,
    ///   ``ShieldErrorCode/systemFailure`` when the platform failed.
    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError)

    /// Takes a shield down.
    ///
    /// - Throws: ``ShieldError``: ``ShieldErrorCode/stateUnreadable`` or ``ShieldErrorCode/systemFailure``; the
    ///   shield then stays up.
    func clear(_ shield: ShieldName) async throws(ShieldError)

    /// What is in force now.
    ///
    /// - Returns: the shields that are up, and the state of every token they name and of no other.
    func coverage() async -> ShieldCoverage

    /// The apps and categories that can be chosen, with labels; `nil` where the system draws its own picker.
    ///
    /// Each token occurs once, and applied it is neither unresolved nor refused.
    func catalogue() async -> ShieldCatalogue?
}

/// Whether apps may be shielded.
public enum ShieldAuthorization: Hashable, Sendable {
    /// The person was not asked yet.
    case notDetermined
    /// Yes.
    case approved
    /// No; the text tells the person how to allow it.
    case denied(howToAllow: String?)
}
