#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import PortcullisCore

/// A ``/PortcullisCore/PasscodeAccount`` on a server with a JSON API over HTTP.
///
/// The API is described by the example server's `openapi.json`. Paths are relative to the server's address:
/// `GET api/auth/passcode-status`, and `POST api/auth/` `set-passcode`, `change-passcode`, `verify-passcode`,
/// `update-settings`, `request-reset`, `reset-passcode`, `log-out`, `log-out-everywhere`. The session's token goes with
/// each request as `Authorization: Bearer`; secrets travel in bodies, never in addresses.
///
/// - It sends through an ``HTTPTransport``, which its maker owns and ends: `AsyncHTTPTransport` on Linux,
///   ``URLSessionTransport`` on Apple platforms.
/// - ``status()`` is sent again after a lost connection, a 5xx or a short `Retry-After`. Everything else is sent once,
///   on a connection of its own.
/// - Statuses: 401 is `notSignedIn`, 409 `conflict`, 429 `throttled`, other 4xx `refused` with the message of the
///   problem document (RFC 9457). 501, 503, 505 and 511 are `serverFailure`. After any other 5xx it is not known what
///   became of an act, so it is `outcomeUnknown`, unless the problem document has the member `"mayBeCarriedOut": false`.
/// - Redirections are not followed: a passcode is for one server only.
///
/// Memory: bodies are written byte by byte into memory that is zeroed after use. What a transport copies of them on
/// its way to the network, it says.
public struct HTTPPasscodeAccount: PasscodeAccount {
    private let client: AccountClient

    /// An account on a server.
    ///
    /// - Parameters:
    ///   - server: where the API's paths begin, such as `https://accounts.example`.
    ///   - transport: how requests get there; it stays the caller's, who ends it after the last request.
    ///   - configuration: what to send, and when to try again.
    ///   - clock: measures the waits between tries.
    ///   - jitter: between 0 and 1, for the waits.
    ///   - token: the session's token, asked for with each request; `nil` while no person is signed in.
    /// - Throws: ``/PortcullisCore/PasscodeAccountErrorCode/unavailable`` for an address that is not safe: neither
    ///   `https`, nor this machine, nor allowed by the configuration, or one that the transport refuses
    ///   (``HTTPTransport/check(_:)``).
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

    /// What the server tells; asked for again where the line fails.
    public func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus {
        let request = AccountClient.Request(method: .get, path: "api/auth/passcode-status", effect: .none)
        return try await client.send(request, as: StatusAnswer.self).status
    }

    /// Sends the first passcode.
    public func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome {
        let body = SecretBody(["passcode": .secret(passcode), "revision": .text(revision.rawValue)])
        let answer = try await act("set-passcode", body, as: OutcomeAnswer.self)
        guard let outcome = answer.setOutcome else { throw client.misunderstood(.act) }
        return outcome
    }

    /// Sends the passcode so far and another one.
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

    /// Sends a passcode to be checked.
    public func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verified("verify-passcode", ["passcode": .secret(passcode)])
    }

    /// Sends a choice.
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

    /// Asks for a code by mail.
    public func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest {
        try await act("request-reset", SecretBody([:]), as: RequestedAnswer.self).request
    }

    /// Sends a code and another passcode.
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

    /// Ends the session on the server; its token is worth nothing afterwards.
    ///
    /// - Throws: ``/PortcullisCore/PasscodeAccountError``; with `notSignedIn` the session had ended before.
    public func logOut() async throws(PasscodeAccountError) { try await end("log-out") }

    /// Ends all sessions of the person on the server, this one too; their tokens are worth nothing afterwards.
    ///
    /// - Throws: ``/PortcullisCore/PasscodeAccountError``; with `notSignedIn` the session had ended before, and the
    ///   others go on.
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
