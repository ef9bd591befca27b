#if Passkeys
public import PortcullisCore

/// What a browser does with a passkey.
public enum PasskeyCeremony: String, Sendable, Hashable {
    /// It makes one: `navigator.credentials.create()`.
    case registration
    /// It uses one: `navigator.credentials.get()`.
    case authentication
}

/// A session, and the lock's generation in it: what a challenge is bound to.
public struct PasskeySession: Sendable, Hashable {
    /// The host's name for the session; it is compared and never shown.
    public let id: String
    /// Which lock of the session it is, counted by the host.
    public let generation: UInt64

    /// A session at a generation.
    public init(id: String, generation: UInt64) { (self.id, self.generation) = (id, generation) }
}

extension PasskeySession: CustomStringConvertible, CustomReflectable {
    /// The generation; a session's name may be what signs its holder in.
    public var description: String { "PasskeySession(generation \(generation))" }

    /// A mirror without the session's name.
    public var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}

/// 32 random bytes that one response has to sign.
public struct PasskeyChallenge: Sendable, Hashable {
    /// How long a challenge can be answered.
    public static let lifetime = Duration.seconds(60)

    /// What it is for.
    public let ceremony: PasskeyCeremony
    /// The bytes.
    public let bytes: [UInt8]
    /// Whom it was given to.
    public let session: PasskeySession
    /// When it was given out.
    public let issued: Moment

    /// A new challenge.
    ///
    /// - Parameters:
    ///   - ceremony: what it is for.
    ///   - session: who gets it.
    ///   - moment: now.
    ///   - generator: where the bytes come from; cryptographically secure outside tests.
    public init(
        for ceremony: PasskeyCeremony,
        session: PasskeySession,
        at moment: Moment,
        using generator: inout some RandomNumberGenerator
    ) {
        self.ceremony = ceremony
        self.session = session
        issued = moment
        bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Whether a response may answer it now.
    ///
    /// - Throws: ``WebAuthnErrorCode/wrongCeremony``, ``WebAuthnErrorCode/otherSession``,
    ///   ``WebAuthnErrorCode/otherGeneration`` or ``WebAuthnErrorCode/challengeExpired``.
    public func check(
        _ ceremony: PasskeyCeremony,
        from session: PasskeySession,
        at moment: Moment
    ) throws(WebAuthnError) {
        guard ceremony == self.ceremony else {
            throw WebAuthnError(.wrongCeremony, "the challenge was for another ceremony")
        }
        guard session.id == self.session.id else {
            throw WebAuthnError(.otherSession, "the challenge was given to another session")
        }
        guard session.generation == self.session.generation else {
            throw WebAuthnError(.otherGeneration, "the app was locked anew since the challenge was given out")
        }
        guard let age = moment.elapsed(since: issued), age <= Self.lifetime else {
            throw WebAuthnError(.challengeExpired, "the challenge is older than 60 seconds")
        }
    }
}

/// The one challenge that can be answered now.
///
/// A new one takes the place of the one before. Whatever becomes of a response, the challenge it answered is gone.
public struct OpenChallenge: Sendable {
    private var challenge: PasskeyChallenge?

    /// No challenge.
    public init() {}

    /// Gives a challenge out.
    public mutating func open(_ challenge: PasskeyChallenge) { self.challenge = challenge }

    /// Takes the challenge back unanswered.
    public mutating func close() { challenge = nil }

    /// Takes the challenge that a response answers.
    ///
    /// - Returns: it; its bytes have yet to be found in the client data.
    /// - Throws: ``WebAuthnErrorCode/challengeSpent`` where none is open, and what
    ///   ``PasskeyChallenge/check(_:from:at:)`` throws.
    public mutating func spend(
        on ceremony: PasskeyCeremony,
        from session: PasskeySession,
        at moment: Moment
    ) throws(WebAuthnError) -> PasskeyChallenge {
        guard let challenge else { throw WebAuthnError(.challengeSpent, "no challenge is open") }
        self.challenge = nil
        try challenge.check(ceremony, from: session, at: moment)
        return challenge
    }
}
#endif
