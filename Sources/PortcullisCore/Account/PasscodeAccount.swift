/// The passcode of a signed-in person's account, on a server that several devices share.
///
/// Each instance belongs to one person. The adapter holds that person's credentials and sends them with each
/// request. A host without accounts gives the passcode lock no `PasscodeAccount`.
///
/// ## For callers
/// - The app sends a passcode only when the person acts. No call sends or fetches anything derived from a
///   passcode, so the account's answers do not help an attacker to guess the passcode. Each device seals its
///   own key after the account has accepted the passcode.
/// - ``AccountPasscodeStatus/revision`` changes each time that a device sets, changes, resets or switches off
///   the passcode. A revision that the device does not know means that another device changed the passcode.
/// - The caller makes a new revision for each of its acts and stores it before the call. After
///   ``PasscodeAccountErrorCode/outcomeUnknown`` the caller reads ``status()``. If the status shows the act's
///   revision, the act was carried out. If the status shows another revision, the act was not carried out, or
///   a later act replaced it. The request that got no answer may still reach the server after this call of
///   ``status()``. The effect of the request then looks like a change by another device.
/// - The caller may send an act again with the same revision. The server does not carry it out twice.
/// - Expected failures are outcomes: a wrong passcode, a refused code, no passcode, a passcode that is set
///   already. Every other failure is a ``PasscodeAccountError``. After
///   ``PasscodeAccountErrorCode/outcomeUnknown`` it is unknown whether the act was carried out. After every
///   other error the act was not carried out.
///
/// ## For implementers
/// - Each act takes effect as a whole or not at all. If the request may have left the device and the outcome
///   is not known, throw ``PasscodeAccountErrorCode/outcomeUnknown``. Every other error means that the act
///   was not carried out.
/// - The adapter itself may repeat only ``status()``, because that call changes nothing. If the answer to
///   ``status()`` is lost, the error is ``PasscodeAccountErrorCode/unreachable``. The adapter sends every
///   other request once for each call, because a passcode or code that is sent twice counts as two tries.
/// - If a signed-in person's act has the account's present revision, the act was carried out before. The
///   server then reports success and checks nothing else.
/// - ``verify(_:)``, ``change(from:to:as:)`` and switching off share one count of wrong passcodes. The server
///   stores the increased count durably before it checks the passcode. A right passcode clears the count.
///   While a delay runs, these calls throw ``PasscodeAccountErrorCode/throttled`` with the time left, and
///   the server neither counts nor checks the passcode.
/// - A code has six digits. It belongs to the request for which it was mailed. It becomes invalid after one
///   reset, after fifteen minutes or after five tries. Requests and tries of other people do not use it up.
/// - The answers of ``requestReset()`` and ``reset(code:of:to:as:)`` do not reveal whether an account exists,
///   has a passcode or has a mail address. The time that an answer takes does not reveal this either.
/// - For a passcode in a format that the account does not accept, the error is
///   ``PasscodeAccountErrorCode/refused``. This does not count as a try.
/// - A cancelled call throws ``PasscodeAccountErrorCode/cancelled`` if nothing was sent. Otherwise it
///   returns the real outcome or throws ``PasscodeAccountErrorCode/outcomeUnknown``.
/// - No message, log or error holds a passcode, a code or the proof of being signed in. No call blocks a
///   thread of Swift's shared pool or the main actor.
/// - The contract suite in `PortcullisTesting` checks these rules.
public protocol PasscodeAccount: Sendable {
    /// Returns the passcode's status. The call does not need the passcode.
    ///
    /// - Throws: ``PasscodeAccountError``. The call never changes anything.
    func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus

    /// Sets the passcode of an account that has none, or whose passcode was switched off.
    ///
    /// - Parameters:
    ///   - passcode: the new passcode.
    ///   - revision: the new value of ``AccountPasscodeStatus/revision``.
    /// - Throws: ``PasscodeAccountError``.
    func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome

    /// Changes the passcode.
    ///
    /// - Parameters:
    ///   - current: the present passcode; a wrong one counts as a failed try.
    ///   - new: the new passcode. The account checks its format first, so that a bad format costs no try.
    ///   - revision: the new value of ``AccountPasscodeStatus/revision``.
    /// - Returns: ``AccountVerifyOutcome/right`` when the passcode was changed.
    /// - Throws: ``PasscodeAccountError``.
    func change(
        from current: SecretBytes,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome

    /// Checks a passcode; a wrong one counts as a failed try.
    ///
    /// - Throws: ``PasscodeAccountError``.
    func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome

    /// Changes a setting of the account.
    ///
    /// The change ``AccountSettingsChange/switchOff(current:revision:)`` removes the passcode. The account
    /// then has no passcode, and its revision is the one in the change. The call cannot change
    /// ``AccountPasscodeStatus/isEnabled``; only an administrator can.
    ///
    /// - Parameter change: the setting and its new value.
    /// - Returns: ``AccountVerifyOutcome/right`` when the account stored the change. The other outcomes
    ///   occur only for a change that carries a passcode.
    /// - Throws: ``PasscodeAccountError``.
    func update(_ change: AccountSettingsChange) async throws(PasscodeAccountError) -> AccountVerifyOutcome

    /// Requests a reset code. The server mails it to the person's address.
    ///
    /// - Returns: the request, which has to be sent back together with the code.
    /// - Throws: ``PasscodeAccountError``, among them ``PasscodeAccountErrorCode/throttled`` after too many requests.
    func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest

    /// Sets a new passcode with a mailed code. The present passcode is not needed. The count of wrong
    /// passcodes is cleared.
    ///
    /// - Parameters:
    ///   - code: six ASCII digits.
    ///   - request: the value that ``requestReset()`` returned when this code was mailed.
    ///   - new: the new passcode. The account checks its format first, so that a bad format costs no try of the code.
    ///   - revision: the new value of ``AccountPasscodeStatus/revision``.
    /// - Throws: ``PasscodeAccountError``.
    func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountResetOutcome
}
