/// Keeps chosen apps shut.
///
/// This port requires only what a system's screen-time service and a helper that stops processes can both do.
/// Tokens are opaque to all other code. A person finds the apps in ``catalogue()`` or in the system's own picker.
///
/// ## For callers
/// - Several named shields add up: an app is shut while at least one shield is up that names it or a category of it.
/// - Applying a shield again replaces its selection. Applying an equal selection is harmless; the controller
///   then checks again for anything that has hindered the shield meanwhile. Applying an empty selection
///   clears the shield. Clearing a shield that is not up is harmless.
/// - ``coverage()`` shows what is really in force. A platform may resolve or stop fewer apps than the
///   selection names.
/// - The permission to shield can be withdrawn at any time. ``authorization`` then says so, and the
///   platform decides whether apps stay shut. Clear the shields that should not return with the permission.
/// - When the last shield of an app is cleared, the app goes on where it was, if the platform can do that.
///
/// ## For implementers
/// - Without permission ``apply(_:as:)`` throws ``ShieldErrorCode/notAuthorized`` and changes nothing.
///   ``clear(_:)`` needs no permission, so that a person can always get out.
/// - ``coverage()`` reports a token that names nothing as ``ShieldCoverage/State/unresolved``, and a token
///   that must not be shielded as ``ShieldCoverage/State/refused(reason:)``. Neither is an error, and the
///   other tokens of the selection are in force.
/// - A call that throws changes nothing that ``coverage()`` shows. After a failed apply the earlier
///   selection stays, after a failed clear the shield stays.
/// - When a call returns, its effect is in force: the apps that should be shut are stopped, and the others go on.
/// - Several tasks may call at once. Calls about one shield take effect one after the other.
/// - A cancelled task's call either takes effect or throws.
/// - No call blocks a thread of Swift's shared pool or the main actor.
/// - The adapter's documentation says whether shields outlive a restart of the app.
/// - The contract suite in `PortcullisTesting` checks these rules.
public protocol ShieldController: Sendable {
    /// Whether apps may be shielded now. It never asks the person.
    var authorization: ShieldAuthorization { get async }

    /// Asks the person for the permission to shield, if the platform requires it.
    ///
    /// - Returns: the answer, which ``authorization`` returns too from then on. It is
    ///   ``ShieldAuthorization/notDetermined`` only if the person postponed the answer. After a denial a
    ///   second call may return the denial without asking.
    func requestAuthorization() async -> ShieldAuthorization

    /// Puts a shield up, or replaces its selection.
    ///
    /// - Parameters:
    ///   - selection: the apps and categories to shut. An empty selection clears the shield.
    ///   - shield: the shield's name.
    /// - Throws: ``ShieldError``: ``ShieldErrorCode/notAuthorized`` without permission,
    ///   ``ShieldErrorCode/stateUnreadable`` when the controller cannot store its state,
    ///   ``ShieldErrorCode/systemFailure`` when the platform failed.
    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError)

    /// Takes a shield down.
    ///
    /// - Throws: ``ShieldError``: ``ShieldErrorCode/stateUnreadable`` or ``ShieldErrorCode/systemFailure``; the
    ///   shield then stays up.
    func clear(_ shield: ShieldName) async throws(ShieldError)

    /// Returns what is in force now.
    ///
    /// - Returns: the shields that are up, and the state of every token that they name. It lists no other tokens.
    func coverage() async -> ShieldCoverage

    /// Returns the apps and categories that can be chosen, with labels; `nil` if the system draws its own picker.
    ///
    /// Each token occurs once. If it is applied, its state is neither unresolved nor refused.
    func catalogue() async -> ShieldCatalogue?
}

/// Whether apps may be shielded.
public enum ShieldAuthorization: Hashable, Sendable {
    /// The person has not been asked yet.
    case notDetermined
    /// Apps may be shielded.
    case approved
    /// Apps may not be shielded. The text tells the person how to allow it.
    case denied(howToAllow: String?)
}
