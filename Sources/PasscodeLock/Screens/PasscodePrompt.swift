internal import LockScreens
internal import PortcullisCore

/// The part of a screen that asks for the current passcode. The lock screen and the screens that change or
/// remove the passcode use it.
///
/// The prompt accepts input while neither a check nor a delay is running. It returns a complete entry for
/// verification, and shows the result.
struct PasscodePrompt: Sendable {
    /// The next step of the screen that holds the prompt, after an answer.
    enum Reaction: Sendable {
        /// The passcode was right. The screen now does the act that needs the passcode. The prompt stays busy
        /// until ``PasscodePrompt/settle()``.
        case right(UnlockProof)
        /// The passcode was wrong, or was not checked. The screen stays.
        case stay
        /// No passcode is set any more, or there were too many failures and this process has carried out the
        /// action of ``ThrottlePolicy/limit``. If this process leaves the action to another process, the
        /// screen gets a failure instead of the answer.
        case over
    }

    /// The message that is shown while no delay is running.
    private enum Notice: Sendable {
        case none
        case incorrect
        case exhausted
        case failure(String)
    }

    private(set) var entry: PasscodeEntry
    private(set) var isVerifying = false
    private var wasRight = false
    private(set) var shakes = 0
    private(set) var successes = 0
    private var notice = Notice.none
    /// The boot-clock time at which the delay ends.
    private var delayEnds: Duration?
    private var left = Duration.zero
    private var isTicking = false

    init(_ format: PasscodeFormat) { entry = PasscodeEntry(format) }

    var isDelayed: Bool { delayEnds != nil }

    /// Accepts entries of this format from now on. An entry begun in another format is cleared.
    mutating func adopt(_ format: PasscodeFormat) {
        if format != entry.format { entry = PasscodeEntry(format) }
    }

    /// Applies an input to the entry.
    ///
    /// - Returns: the passcode to verify, once the entry is complete.
    mutating func take(_ input: ScreenInput) -> SecretBytes? {
        guard !isVerifying, !isDelayed else { return nil }
        let countBefore = entry.count
        let isComplete = entry.take(input)
        if entry.count > countBefore { notice = .none }
        guard isComplete else { return nil }
        isVerifying = true
        return entry.typed
    }

    mutating func answered(_ answer: PasscodeAnswer, at now: Moment) -> Reaction {
        switch answer {
        case .right(let proof):
            wasRight = true
            successes += 1
            return .right(proof)
        case .wrong(_, let retryAfter):
            end()
            notice = .incorrect
            shakes += 1
            delay(retryAfter, at: now)
            return .stay
        case .throttled(let retryAfter):
            end()
            delay(retryAfter, at: now)
            return .stay
        case .triesExhausted:
            end()
            notice = .exhausted
            return .stay
        case .limitReached, .notSet:
            end()
            return .over
        }
    }

    /// Ends the busy state that follows a right passcode. The screen calls this when the act is done or
    /// abandoned. In any other state the call does nothing.
    mutating func settle() { if wasRight { end() } }

    /// Clears the entry for a new generation of the lock. A check that is under way continues, but the
    /// screen does not unlock if the checked passcode is right.
    mutating func beginAnew() {
        settle()
        if !isVerifying { entry.clear() }
    }

    private mutating func end() {
        isVerifying = false
        wasRight = false
        entry.clear()
    }

    /// Ends a check that failed, and shows the message.
    mutating func failed(_ message: String) {
        end()
        notice = .failure(message)
    }

    /// Shows a message that is not about a try; `nil` removes the message.
    mutating func say(_ message: String?) { notice = message.map { .failure($0) } ?? .none }

    /// Removes the message of a failure. A message about wrong passcodes stays.
    mutating func forgetFailure() { if case .failure = notice { notice = .none } }

    /// Takes over the delay before the next try. The value zero ends a delay that is shown.
    private mutating func delay(_ duration: Duration, at now: Moment) {
        if duration > .zero {
            left = duration
            delayEnds = now.sinceBoot + duration
        } else if delayEnds != nil {
            delayEnds = nil
            notice = .none
        }
    }

    /// Takes over the delay that was read when the screen appeared, unless a passcode is being checked.
    ///
    /// A try is counted before its passcode is checked. So during a check the delay may be that of a failure
    /// which the check does not find, or takes back. The answer to the check brings the delay that begins.
    mutating func appeared(_ retryAfter: Duration, at now: Moment) {
        if !isVerifying { delay(retryAfter, at: now) }
    }

    /// Updates the remaining time that the message shows, and ends the delay when no time remains.
    mutating func tick(at now: Moment) {
        isTicking = false
        guard let ends = delayEnds else { return }
        left = ends - now.sinceBoot
        guard left <= .zero else { return }
        delayEnds = nil
        notice = .none
    }

    /// Returns the time to the next tick. Ticks are at most one second apart, so the shown time is right to
    /// the second. The result is `nil` when no tick is needed or a tick is already under way.
    mutating func nextTick() -> Duration? {
        guard isDelayed, !isTicking else { return nil }
        isTicking = true
        return min(left, .seconds(1))
    }

    /// The message under the entry: the rest of a delay, the result of the last try, or another failure.
    ///
    /// - Parameter isRecoverable: the ways out that the screen offers. `true`: the recovery passphrase and
    ///   logging out; `false`: only logging out; `nil`: neither.
    func message(_ strings: PasscodeStrings, isRecoverable: Bool? = nil) -> ScreenMessage? {
        if isDelayed {
            return ScreenMessage(.countDown, strings.tryAgain(in: left), timeLeft: left)
        }
        return switch notice {
        case .none: nil
        case .incorrect: ScreenMessage(.error, strings.incorrect)
        case .exhausted: ScreenMessage(.error, strings.triesExhausted(isRecoverable: isRecoverable))
        case .failure(let text): ScreenMessage(.error, text)
        }
    }

    /// Adds the prompt's parts to the content of a screen.
    ///
    /// - Parameters:
    ///   - isHeld: whether the screen has a request under way, apart from the check of the passcode. If
    ///     `true`, the entry is disabled.
    ///   - isRecoverable: the ways out that the screen offers. `true`: the recovery passphrase and
    ///     logging out; `false`: only logging out; `nil`: neither.
    func fill(
        _ content: inout ScreenContent,
        _ strings: PasscodeStrings,
        isHeld: Bool = false,
        isRecoverable: Bool? = nil
    ) {
        let isEnabled = !isVerifying && !isDelayed && !isHeld
        content.entry = entry.content(strings)
        content.pad = entry.pad(isEnabled: isEnabled, strings)
        content.message = message(strings, isRecoverable: isRecoverable)
        content.shakes = shakes
        content.successes = successes
        content.isBusy = isVerifying || isHeld
        if let done = entry.doneControl(isEnabled: isEnabled, strings) { content.controls.append(done) }
    }
}
