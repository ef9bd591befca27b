/// The passcode that a signed-in person has with an account, on a server that several devices share.
///
/// One value stands for one person: the adapter knows whose account it is and sends the proof of being signed in.
/// A host without accounts passes none to the passcode lock.
///
/// ## For callers
/// - A passcode is sent only as the person's own act. Nothing that was derived from one is ever sent or fetched, so
///   nothing can be guessed from what the account tells: each device seals its own key once the account has said
///   that a passcode is right.
/// - ``AccountPasscodeStatus/revision`` is another one after each set, change, reset and switching off, on whatever
///   device: one that is not the last known means that the passcode was changed elsewhere.
/// - The caller makes up the revision of its own acts, a fresh one each time, and writes it down before the call.
///   After ``PasscodeAccountErrorCode/outcomeUnknown`` it asks for ``status()``: that revision there means that the
///   act was carried out. Any other means that it was not, or was overtaken; a request that is still on its way then
///   shows later, as a change from elsewhere.
/// - Sending an act again with its revision is harmless: what was carried out is not carried out twice.
/// - What may go wrong in a conversation is an outcome: a wrong passcode, a code that is refused, no passcode, one
///   that is there already. Everything else is a ``PasscodeAccountError``, and its code says whether the act may have
///   been carried out: only ``PasscodeAccountErrorCode/outcomeUnknown`` leaves that open.
///
/// ## For implementers
/// - Each act takes effect as a whole or not at all. Every error but ``PasscodeAccountErrorCode/outcomeUnknown``
///   means: not carried out. When in doubt whether a request left the device, say `outcomeUnknown`.
/// - ``status()`` alone may be sent again by the adapter itself; it changes nothing, so an answer that is lost is
///   ``PasscodeAccountErrorCode/unreachable``. Everything else is sent once for each call: a passcode or code that
///   is sent twice counts twice.
/// - An act of a signed-in person whose revision is the present one is answered as carried out, and nothing else is
///   looked at.
/// - Wrong passcodes of ``verify(_:)``, ``change(from:to:as:)`` and switching off go through one count, which is
///   durable before the passcode is looked at. A right one clears it. While a delay runs,
///   ``PasscodeAccountErrorCode/throttled`` is thrown with the time left, and nothing is counted or looked at.
/// - A code is six digits and good for one reset, fifteen minutes and five tries, and for the request that it was
///   mailed for only. What others request or try does not use it up. Whether an account exists, has a passcode or has
///   a mail address does not show in any answer of ``requestReset()`` and ``reset(code:of:to:as:)``, nor in the time
///   they take.
/// - A passcode of a format that the account does not take is ``PasscodeAccountErrorCode/refused``, and no try.
/// - A cancelled call throws ``PasscodeAccountErrorCode/cancelled`` if nothing was sent, otherwise gives the real
///   outcome or throws ``PasscodeAccountErrorCode/outcomeUnknown``.
/// - Passcodes, codes and the proof of being signed in are in no message, log or error. No call blocks a thread of
///   Swift's shared pool or the main actor.
/// - Prove it with the contract suite in `PortcullisTesting`.
public protocol PasscodeAccount: Sendable {
    /// What is known of the passcode without asking for it.
    ///
    /// - Throws: ``PasscodeAccountError``; nothing was changed.
    func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus

    /// Sets the first passcode, or one after the last was switched off.
    ///
    /// - Parameters:
    ///   - passcode: the new one.
    ///   - revision: what ``AccountPasscodeStatus/revision`` becomes.
    /// - Throws: ``PasscodeAccountError``.
    func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome

    /// Changes the passcode.
    ///
    /// - Parameters:
    ///   - current: the one so far; a wrong one counts.
    ///   - new: looked at first, so that a bad one costs no try.
    ///   - revision: what ``AccountPasscodeStatus/revision`` becomes.
    /// - Returns: ``AccountVerifyOutcome/right`` when it is changed.
    /// - Throws: ``PasscodeAccountError``.
    func change(
        from current: SecretBytes,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome

    /// Checks a passcode; a wrong one counts.
    ///
    /// - Throws: ``PasscodeAccountError``.
    func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome

    /// Records the person's own choices.
    ///
    /// Switching the passcode off removes it: the account then has none, under the new revision. An administrator who
    /// disables passcodes is not overruled; ``AccountPasscodeStatus/isEnabled`` is the administrator's alone.
    ///
    /// - Parameter change: what to record.
    /// - Returns: ``AccountVerifyOutcome/right`` when it is recorded. The other outcomes only where the change carries
    ///   a passcode.
    /// - Throws: ``PasscodeAccountError``.
    func update(_ change: AccountSettingsChange) async throws(PasscodeAccountError) -> AccountVerifyOutcome

    /// Has a reset code sent to the person's mail address.
    ///
    /// - Returns: what has to come back with the code.
    /// - Throws: ``PasscodeAccountError``, among them ``PasscodeAccountErrorCode/throttled`` after too many requests.
    func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest

    /// Sets another passcode with a code from a mail, whatever the one so far; clears the count of wrong ones.
    ///
    /// - Parameters:
    ///   - code: six ASCII digits.
    ///   - request: what ``requestReset()`` returned when this code was sent.
    ///   - new: looked at first, so that a bad one costs no try of the code.
    ///   - revision: what ``AccountPasscodeStatus/revision`` becomes.
    /// - Throws: ``PasscodeAccountError``.
    func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountResetOutcome
}
