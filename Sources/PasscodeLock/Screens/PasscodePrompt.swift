internal import LockScreens
internal import PortcullisCore

/// Asking for the passcode that is set: the part that the lock screen, changing and removing have in common.
///
/// It takes input while nothing runs and no delay is being served, hands a complete entry out to be verified,
/// and shows what became of it.
struct PasscodePrompt: Sendable {
    /// What an answer means to the screen around.
    enum Reaction: Sendable {
        /// Right: the prompt stays busy until ``PasscodePrompt/settle()``, because what it was asked for is still to be
        /// done.
        case right(UnlockProof)
        /// Wrong, or a delay: the person stays here.
        case stay
        /// There is no passcode any more, or the limit's action was carried out.
        case over
    }

    /// What is said of the last try.
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
    /// The boot-clock time at which a delay ends.
    private var delayEnds: Duration?
    private var left = Duration.zero
    private var isTicking = false

    init(_ format: PasscodeFormat) { entry = PasscodeEntry(format) }

    var isDelayed: Bool { delayEnds != nil }

    /// Takes entries of this format from now on; one that was begun in another is cleared.
    mutating func adopt(_ format: PasscodeFormat) {
        if format != entry.format { entry = PasscodeEntry(format) }
    }

    /// - Returns: the passcode to verify, when it is complete.
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

    /// What a right passcode was asked for is done, or is not to be done any more; does nothing while none was right.
    mutating func settle() { if wasRight { end() } }

    /// The lock began anew: what was typed before is forgotten. A check that is under way goes on, and its answer is void.
    mutating func beginAnew() {
        settle()
        if !isVerifying { entry.clear() }
    }

    private mutating func end() {
        isVerifying = false
        wasRight = false
        entry.clear()
    }

    /// The check could not be made.
    mutating func failed(_ message: String) {
        end()
        notice = .failure(message)
    }

    /// Shows a line that is not about a try.
    mutating func say(_ message: String?) { notice = message.map { .failure($0) } ?? .none }

    /// Takes back a line that is not about a wrong passcode.
    mutating func forgetFailure() { if case .failure = notice { notice = .none } }

    mutating func delay(_ duration: Duration, at now: Moment) {
        guard duration > .zero else { return }
        left = duration
        delayEnds = now.sinceBoot + duration
    }

    /// Time has passed.
    mutating func tick(at now: Moment) {
        isTicking = false
        guard let ends = delayEnds else { return }
        left = ends - now.sinceBoot
        guard left <= .zero else { return }
        delayEnds = nil
        notice = .none
    }

    /// When to be told of the time again, often enough for the text to be right; one tick at a time is under
    /// way.
    mutating func nextTick() -> Duration? {
        guard isDelayed, !isTicking else { return nil }
        isTicking = true
        return min(left, .seconds(1))
    }

    func message(_ strings: PasscodeStrings) -> ScreenMessage? {
        if isDelayed {
            return ScreenMessage(.countDown, strings.tryAgain(in: left), timeLeft: left)
        }
        return switch notice {
        case .none: nil
        case .incorrect: ScreenMessage(.error, strings.incorrect)
        case .exhausted: ScreenMessage(.error, strings.triesExhausted)
        case .failure(let text): ScreenMessage(.error, text)
        }
    }

    /// Fills in what the prompt shows.
    ///
    /// - Parameter isHeld: whether something else of the screen is under way, which the entry has to wait for.
    func fill(_ content: inout ScreenContent, _ strings: PasscodeStrings, isHeld: Bool = false) {
        let isEnabled = !isVerifying && !isDelayed && !isHeld
        content.entry = entry.content(strings)
        content.pad = entry.pad(isEnabled: isEnabled, strings)
        content.message = message(strings)
        content.shakes = shakes
        content.successes = successes
        content.isBusy = isVerifying || isHeld
        if let done = entry.doneControl(isEnabled: isEnabled, strings) { content.controls.append(done) }
    }
}
