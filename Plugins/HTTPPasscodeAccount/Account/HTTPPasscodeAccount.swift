#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import PortcullisCore

/// A ``/PortcullisCore/PasscodeAccount`` on a server with a JSON API over HTTP.
///
/// The example server's `openapi.json` describes the API. Paths are relative to the server's address: `GET
/// api/auth/passcode-status`, and `POST api/auth/` `set-passcode`, `change-passcode`, `verify-passcode`,
/// `update-settings`, `request-reset`, `reset-passcode`, `log-out`, `log-out-everywhere`. Each request has
/// the session's token as `Authorization: Bearer`. Secrets are sent in bodies, never in addresses.
///
/// - The account sends through an ``HTTPTransport``, which the caller makes and shuts down:
///   `AsyncHTTPTransport` on Linux, ``URLSessionTransport`` on Apple platforms.
/// - The request of ``status()`` is repeated after a lost connection, a 5xx or a short `Retry-After`. Every
///   other request is sent once, on a connection of its own.
/// - Statuses: 401 is `notSignedIn`, 409 `conflict`, 429 `throttled`, other 4xx `refused` with the message of
///   the problem document (RFC 9457). After a request that changes something, a 5xx is `outcomeUnknown` if
///   the server may have made the change, and `serverFailure` if it has not. The member `"mayBeCarriedOut"`
///   of the problem document says which of the two is true. Without this member, 501, 503, 505 and 511 are
///   `serverFailure`, and any other 5xx is `outcomeUnknown`. So a proxy that has passed a request on must not
///   answer 503 without this member. After a request that changes nothing, a 5xx is `serverFailure`.
/// - Redirections are not followed, because a passcode is for one server only.
///
/// Memory: bodies are written byte by byte into memory that is zeroed after use. The documentation of each
/// transport says what it copies on the way to the network.
public struct HTTPPasscodeAccount: PasscodeAccount {
    private let client: AccountClient

    /// Makes an account on a server.
    ///
    /// - Parameters:
    ///   - server: the address that the API's paths are relative to, such as `https://accounts.example`.
    ///   - transport: sends the requests. The caller owns the transport, and shuts it down after the last
    ///     request.
    ///   - configuration: whether plain HTTP is allowed, and how often a failed request is repeated.
    ///   - clock: measures the waits between attempts.
    ///   - jitter: returns a number from 0 to 1. With 0 a wait keeps its full length, with 1 it is halved.
    ///   - token: returns the session's token for each request; `nil` while no person is signed in.
    /// - Throws: ``/PortcullisCore/PasscodeAccountErrorCode/unavailable`` if the address is not safe; if it
    ///   has a user, a query, an invalid port or no host; or if the transport refuses it
    ///   (``HTTPTransport/check(_:)``). An `https` address is safe. An `http` address is safe if its host is
    ///   this machine or the configuration allows plain HTTP.
    public init(
        server: URL,
        transport: any HTTPTransport,
        configuration: HTTPAccountConfiguration = HTTPAccountConfiguration(),
        clock: any LockClock,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        token: @escaping @Sendable () async -> SecretBytes?
    ) throws(PasscodeAccountError) {
        client = try AccountClient(
            server: server,
            transport: transport,
            configuration: configuration,
            clock: clock,
            token: token,
            jitter: jitter
        )
    }

    private func act<Answer: Decodable>(
        _ name: String,
        _ body: SecretBody,
        as answer: Answer.Type
    ) async throws(PasscodeAccountError) -> Answer {
        try await client.send(
            AccountClient.Request(method: .post, path: "api/auth/\(name)", effect: .act, body: body),
            as: answer
        )
    }

    /// Requests the status from the server. The request is repeated after a lost connection, after a 5xx and
    /// after a short `Retry-After`.
    public func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus {
        let request = AccountClient.Request(method: .get, path: "api/auth/passcode-status", effect: .none)
        return try await client.send(request, as: StatusAnswer.self).status
    }

    /// Sends the first passcode to the server.
    public func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome {
        let body = SecretBody(["passcode": .secret(passcode), "revision": .text(revision.rawValue)])
        let answer = try await act("set-passcode", body, as: OutcomeAnswer.self)
        guard let outcome = answer.setOutcome else { throw client.misunderstood(.act) }
        return outcome
    }

    /// Sends the present passcode and the new passcode to the server.
    public func change(
        from current: SecretBytes,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verified(
            "change-passcode",
            ["current": .secret(current), "new": .secret(new), "revision": .text(revision.rawValue)]
        )
    }

    /// Sends a passcode to the server, which checks it.
    public func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verified("verify-passcode", ["passcode": .secret(passcode)])
    }

    /// Sends a changed setting to the server.
    public func update(
        _ change: AccountSettingsChange
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        switch change {
        case .timeout(.never):
            try await verified("update-settings", ["timeoutMinutes": .text("never")])
        case .timeout(.minutes(let minutes)):
            try await verified("update-settings", ["timeoutMinutes": .number(minutes)])
        case .switchOff(let current, let revision):
            try await verified(
                "update-settings",
                [
                    "hasPasscode": .flag(false), "current": .secret(current),
                    "revision": .text(revision.rawValue),
                ]
            )
        }
    }

    private func verified(
        _ name: String,
        _ members: KeyValuePairs<StaticString, SecretBody.Value>
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        let answer = try await act(name, SecretBody(members), as: OutcomeAnswer.self)
        guard let outcome = answer.verifyOutcome else { throw client.misunderstood(.act) }
        return outcome
    }

    /// Asks the server to mail a code.
    public func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest {
        try await act("request-reset", SecretBody([:]), as: RequestedAnswer.self).request
    }

    /// Sends a mailed code and a new passcode to the server.
    public func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountResetOutcome {
        let body = SecretBody([
            "code": .secret(code), "request": .text(request.rawValue), "new": .secret(new),
            "revision": .text(revision.rawValue),
        ])
        let answer = try await act("reset-passcode", body, as: OutcomeAnswer.self)
        guard let outcome = answer.resetOutcome else { throw client.misunderstood(.act) }
        return outcome
    }

    /// Ends the session on the server. The session's token is invalid afterwards.
    ///
    /// - Throws: ``/PortcullisCore/PasscodeAccountError``; `notSignedIn` means that the session had already
    ///   ended.
    public func logOut() async throws(PasscodeAccountError) { try await end("log-out") }

    /// Ends all sessions of the person on the server, including this session. The tokens of all sessions are
    /// invalid afterwards.
    ///
    /// - Throws: ``/PortcullisCore/PasscodeAccountError``; `notSignedIn` means that this session had already
    ///   ended, and that the other sessions continue.
    public func logOutEverywhere() async throws(PasscodeAccountError) { try await end("log-out-everywhere") }

    private func end(_ name: String) async throws(PasscodeAccountError) {
        try await client.send(
            AccountClient.Request(
                method: .post,
                path: "api/auth/\(name)",
                effect: .act,
                body: SecretBody([:])
            )
        )
    }
}
