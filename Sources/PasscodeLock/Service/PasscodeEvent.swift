internal import AdapterKit
public import PortcullisCore

/// An event of a user's passcode or lock, for a log, metrics or an audit. It holds no secret.
public struct PasscodeEvent: Sendable, Hashable {
    /// The kinds of events.
    public enum Kind: Sendable, Hashable {
        /// A try was counted durably. Its passcode is now being checked. No outcome follows if the passcode
        /// was removed meanwhile.
        case tried
        /// The tried passcode is right.
        case right
        /// The tried passcode is wrong. The values are the number of failures in a row and the delay before
        /// the next try.
        case wrong(failures: Int, retryAfter: Duration)
        /// The passcode was neither counted nor checked; see ``PasscodeAnswer/throttled(retryAfter:)``.
        case throttled(retryAfter: Duration)
        /// There were too many failures. The policy's action was carried out, or is due; see
        /// ``PasscodeAnswer/limitReached(_:)``.
        case limitReached(ThrottlePolicy.LimitAction)
        /// A passcode was not checked, because the hardware has counted too many wrong ones.
        case triesExhausted
        /// The app was locked, or it started in the locked state.
        case locked
        /// The lock was unlocked.
        case unlocked(UnlockMethod)
        /// A first passcode was set, or the passcode hash of another app was taken over.
        case set
        /// The passcode was changed by a person who entered the current passcode.
        case changed
        /// Another passcode was set without the current one: with a code from a mail, with the recovery
        /// passphrase, or by a server that checked a code.
        case reset
        /// The passcode and all its data were removed.
        case removed
        /// Biometrics were switched on.
        case biometricsEnabled
        /// Biometrics were switched off.
        case biometricsDisabled
        /// An act ended with an error.
        case failed(Act, PasscodeError.Code)
    }

    /// An act that can fail.
    public enum Act: Sendable, Hashable {
        /// Checking a passcode with ``PasscodeService/verify(_:)``, or sending it to the account with
        /// ``PasscodeService/push(_:)``.
        case verify
        /// Showing the biometric prompt and checking its outcome.
        case authenticate
        /// Setting the first passcode, or taking over the passcode hash of another app.
        case set
        /// Changing the passcode.
        case change
        /// Setting another passcode without the current one; see ``PasscodeEvent/Kind/reset``.
        case reset
        /// Removing the passcode, after it was entered or by logging out.
        case remove
        /// Switching biometrics on or off.
        case biometrics
        /// Storing a setting.
        case configure
        /// Storing the lock's state, or reading whether a passcode is set.
        case lock
    }

    /// The user to whom the passcode or the lock belongs.
    public var user: UserID
    /// The moment of the event.
    public var moment: Moment
    /// The kind of the event.
    public var kind: Kind

    /// Makes an event.
    public init(user: UserID, moment: Moment, kind: Kind) {
        (self.user, self.moment, self.kind) = (user, moment, kind)
    }
}

/// The way in which a person gave a proof.
public enum UnlockMethod: Sendable, Hashable {
    /// With the passcode, which may be a new one that was just set.
    case passcode
    /// With biometrics.
    case biometrics
    /// With a code from a mail.
    case resetCode
}

extension PasscodeService {
    /// Returns a stream of all events from now on. The stream has the events of this service, of its copies,
    /// and of the lock that uses the service. The stream has no events of other processes.
    ///
    /// The stream buffers events until they are read, so a slow reader misses none.
    public func events() -> AsyncStream<PasscodeEvent> { eventStreams.stream() }

    func note(_ kind: PasscodeEvent.Kind) {
        guard eventStreams.isHeard else { return }
        eventStreams.send(PasscodeEvent(user: user, moment: clock.now, kind: kind))
    }

    /// Carries out an act, and reports its error as an event. After the act, the sealer forgets the sealed
    /// keys that the record no longer holds.
    func noting<Answer>(
        _ act: PasscodeEvent.Act,
        _ body: () async throws(PasscodeError) -> Answer
    ) async throws(PasscodeError) -> Answer {
        do throws(PasscodeError) { return try await settling(body) } catch {
            note(.failed(act, error.code))
            throw error
        }
    }

    func note(answer: PasscodeAnswer) {
        switch answer {
        case .right:
            note(.right)
            settleAgain()
        case .wrong(let failures, let retryAfter): note(.wrong(failures: failures, retryAfter: retryAfter))
        case .throttled(let retryAfter): note(.throttled(retryAfter: retryAfter))
        case .limitReached(let action): note(.limitReached(action))
        case .triesExhausted: note(.triesExhausted)
        case .notSet: break
        }
    }
}
