internal import AdapterKit
public import PortcullisCore

/// Something that happened to a user's passcode or lock, for a log, metrics or an audit; it holds no secret.
public struct PasscodeEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// A passcode was counted, durably, and is being tried.
        case tried
        /// A passcode that was tried is right.
        case right
        /// A passcode that was tried is wrong: the failures in a row, and the delay that follows.
        case wrong(failures: Int, retryAfter: Duration)
        /// A passcode was neither counted nor tried: so long is still to wait.
        case throttled(retryAfter: Duration)
        /// Too many failures: the policy's action was carried out.
        case limitReached(ThrottlePolicy.LimitAction)
        /// A passcode was not tried: the hardware has counted as many wrong ones as it takes.
        case triesExhausted
        /// The lock locked, or was locked when the app started.
        case locked
        /// The lock was opened.
        case unlocked(UnlockMethod)
        /// A first passcode was set, or a hash was taken over.
        case set
        /// The passcode was changed by who knew the one so far.
        case changed
        /// Another passcode was set without the one so far: with a code from a mail, or by a server that checked one.
        case reset
        /// The passcode and all that belongs to it were removed.
        case removed
        /// Biometrics were switched on.
        case biometricsEnabled
        /// Biometrics were switched off.
        case biometricsDisabled
        /// An act ended with an error.
        case failed(Act, PasscodeError.Code)
    }

    /// What can fail.
    public enum Act: Sendable, Hashable {
        /// Checking a passcode, also before it is sent to the account.
        case verify
        /// Showing the biometric prompt, and judging its outcome.
        case authenticate
        /// Setting the first passcode, or taking a hash over.
        case set
        /// Changing the passcode.
        case change
        /// Resetting or replacing the passcode.
        case reset
        /// Removing the passcode, by its owner or by logging out.
        case remove
        /// Switching biometrics on or off.
        case biometrics
        /// Recording a setting.
        case configure
        /// Writing the lock's state down, or reading what there is to lock with.
        case lock
    }

    /// Whose passcode.
    public var user: UserID
    /// When it happened.
    public var moment: Moment
    /// What happened.
    public var kind: Kind

    /// An event of these parts.
    public init(user: UserID, moment: Moment, kind: Kind) {
        (self.user, self.moment, self.kind) = (user, moment, kind)
    }
}

/// What a proof was given by.
public enum UnlockMethod: Sendable, Hashable {
    /// The passcode, also a new one that was just set.
    case passcode
    /// Biometrics.
    case biometrics
    /// A code from a mail.
    case resetCode
}

extension PasscodeService {
    /// What happens from now on, through this service, copies of it, and the lock over it; not what other processes do.
    ///
    /// The stream holds what is not taken yet: an observer that is slow misses nothing.
    public func events() -> AsyncStream<PasscodeEvent> { eventStreams.stream() }

    func note(_ kind: PasscodeEvent.Kind) {
        guard eventStreams.isHeard else { return }
        eventStreams.send(PasscodeEvent(user: user, moment: clock.now, kind: kind))
    }

    /// Carries an act out, and notes its error.
    func noting<Answer>(
        _ act: PasscodeEvent.Act,
        _ body: () async throws(PasscodeError) -> Answer
    ) async throws(PasscodeError) -> Answer {
        do throws(PasscodeError) { return try await body() } catch {
            note(.failed(act, error.code))
            throw error
        }
    }

    func note(answer: PasscodeAnswer) {
        switch answer {
        case .right: note(.right)
        case .wrong(let failures, let retryAfter): note(.wrong(failures: failures, retryAfter: retryAfter))
        case .throttled(let retryAfter): note(.throttled(retryAfter: retryAfter))
        case .limitReached(let action): note(.limitReached(action))
        case .triesExhausted: note(.triesExhausted)
        case .notSet: break
        }
    }
}
