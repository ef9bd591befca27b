/// Keeps chosen apps from being used.
///
/// A *shield* is a named selection of apps. While a shield is *up*, its apps are *shut*: they cannot be used.
///
/// This port requires only abilities that are common to a system's screen-time service and a helper that
/// stops processes. Apps and categories are named by tokens, which only the controller can interpret. A
/// person finds the apps in ``catalogue()`` or in the system's own picker.
///
/// ## For callers
/// - Several shields add up: an app is shut while at least one shield that is up names the app or a
///   category of the app.
/// - Applying a shield again replaces its selection. If the new selection is equal, the controller only
///   checks again whether anything prevents the shield from working. Applying an empty selection clears the
///   shield. Clearing a shield that is not up does nothing.
/// - ``coverage()`` shows the real effect of the shields. A platform may resolve or stop fewer apps than the
///   selection names.
/// - The permission to shield can be withdrawn at any time. ``authorization`` then reports the change, and
///   the platform decides whether apps stay shut. If the permission is given again, the earlier shields may
///   be in force again. Clear the shields that should not be in force.
/// - When the last shield of an app is cleared, the app resumes at the point where it was stopped, if the
///   platform supports that.
///
/// ## For implementers
/// - Without permission ``apply(_:as:)`` throws ``ShieldErrorCode/notAuthorized`` and changes nothing.
///   ``clear(_:)`` needs no permission, so that a person can always remove a shield.
/// - ``coverage()`` reports a token that names nothing as ``ShieldCoverage/State/unresolved``, and a token
///   that must not be shielded as ``ShieldCoverage/State/refused(reason:)``. Such a token causes no error,
///   and the other tokens of the selection are in force.
/// - A call that throws changes nothing that ``coverage()`` shows. After a failed apply the earlier
///   selection stays, after a failed clear the shield stays.
/// - When a call returns, its effect is in force: the apps that should be shut are stopped, and the other
///   apps can run.
/// - Several tasks may call at once. Calls about one shield take effect one after the other.
/// - A call in a cancelled task either takes effect or throws.
/// - No call blocks a thread of Swift's shared pool or the main actor.
/// - The adapter's documentation says whether shields outlive a restart of the app.
/// - The contract suite in `PortcullisTesting` checks these rules.
public protocol ShieldController: Sendable {
    /// Whether apps may be shielded now. Reading this property never asks the person.
    var authorization: ShieldAuthorization { get async }

    /// Asks the person for the permission to shield, if the platform requires it.
    ///
    /// - Returns: the person's answer, which ``authorization`` also returns from then on. The value is
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

    /// Returns the shields that are in force now, and their effect.
    ///
    /// - Returns: the shields that are up, and the state of each token that they name. Other tokens are not
    ///   included.
    func coverage() async -> ShieldCoverage

    /// Returns the apps and categories that can be chosen, with labels; `nil` if the system draws its own picker.
    ///
    /// Each token occurs once. When a shield with the token is applied, ``coverage()`` reports the token
    /// neither as unresolved nor as refused.
    func catalogue() async -> ShieldCatalogue?
}

/// Whether apps may be shielded.
public enum ShieldAuthorization: Hashable, Sendable {
    /// The person has not been asked yet.
    case notDetermined
    /// The app has the permission to shield apps.
    case approved
    /// The app does not have the permission to shield apps. The text tells the person how to give it.
    case denied(howToAllow: String?)
}
