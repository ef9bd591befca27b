#if Passkeys
public import PortcullisCore

/// The two operations of a browser with a passkey.
public enum PasskeyCeremony: String, Sendable, Hashable {
    /// The browser makes a passkey: `navigator.credentials.create()`.
    case registration
    /// The browser uses a passkey: `navigator.credentials.get()`.
    case authentication
}

/// A session and the generation of its lock. A challenge is bound to both.
public struct PasskeySession: Sendable, Hashable {
    /// The host's name for the session. The name is compared and never shown.
    public let id: String
    /// The generation of the session's lock: a number that rises each time earlier proofs become invalid, as
    /// when the app is locked again. The host supplies the number.
    public let generation: UInt64

    /// Makes the value from the session's id and its lock's generation.
    public init(id: String, generation: UInt64) { (self.id, self.generation) = (id, generation) }
}

extension PasskeySession: CustomStringConvertible, CustomReflectable {
    /// The text shows the generation alone. The session's name is left out, because it may be the secret that
    /// authenticates the session.
    public var description: String { "PasskeySession(generation \(generation))" }

    /// The mirror leaves out the session's name for the same reason as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}

/// A challenge: 32 random bytes that the browser's response has to sign.
public struct PasskeyChallenge: Sendable, Hashable {
    /// The time in which a challenge can be answered.
    public static let lifetime = Duration.seconds(60)

    /// The ceremony that the challenge is for.
    public let ceremony: PasskeyCeremony
    /// The 32 random bytes.
    public let bytes: [UInt8]
    /// The session that the challenge was given to.
    public let session: PasskeySession
    /// The moment at which the challenge was given out.
    public let issued: Moment

    /// Makes a new challenge.
    ///
    /// - Parameters:
    ///   - ceremony: the ceremony that the challenge is for.
    ///   - session: the session that gets the challenge.
    ///   - moment: the current moment.
    ///   - generator: the source of the bytes; cryptographically secure outside tests.
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

    /// Checks that a response may answer the challenge now.
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

/// Holds the one challenge that can be answered now.
///
/// A new challenge replaces the previous one. A response spends the challenge, whether the response is valid
/// or not.
public struct OpenChallenge: Sendable {
    private var challenge: PasskeyChallenge?

    /// Starts without a challenge.
    public init() {}

    /// Opens this challenge, in place of the previous one.
    public mutating func open(_ challenge: PasskeyChallenge) { self.challenge = challenge }

    /// Removes the open challenge without an answer.
    public mutating func close() { challenge = nil }

    /// Spends the open challenge on a response.
    ///
    /// - Returns: the challenge. The caller still has to compare its bytes with those in the client data.
    /// - Throws: ``WebAuthnErrorCode/challengeSpent`` if no challenge is open; the errors of
    ///   ``PasskeyChallenge/check(_:from:at:)``.
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
