internal import HTTPTypes
internal import Hummingbird
internal import PortcullisCore

/// The routes of the server: sign-in, passcodes, and routes for its operation.
///
/// A result of normal use, such as a wrong passcode, is an outcome with status 200. A fault of a request or
/// of the server is a problem.
struct AccountAPI: Sendable {
    let accounts: Accounts
    let sessions: SessionDesk
    let codes: CodeDesk
    let passcodes: PasscodeDesk
    /// Rounds up the times of answers about codes, so that the times do not tell which accounts exist.
    let times: AnswerTimes
    let metrics: Metrics
    let book: ConnectionBook
    let readiness: Readiness
    let gate: ServiceGate
    /// The token that an administrator's call has to contain; `nil` if such calls are refused.
    let administratorToken: SecretBytes?
    /// Further metrics of the program, in the same format.
    let moreMetrics: @Sendable () -> String

    var routes: RouteTable {
        RouteTable([
            .init(method: .post, path: "/api/auth/request-sign-in", answer: requestSignIn, takesCodes: true),
            .init(method: .post, path: "/api/auth/sign-in", answer: signIn, takesCodes: true),
            .init(method: .get, path: "/api/auth/session", answer: session),
            .init(method: .post, path: "/api/auth/log-out", answer: logOut),
            .init(method: .post, path: "/api/auth/log-out-everywhere", answer: logOutEverywhere),
            .init(method: .get, path: "/api/auth/passcode-status", answer: status),
            .init(method: .post, path: "/api/auth/set-passcode", answer: set),
            .init(method: .post, path: "/api/auth/change-passcode", answer: change),
            .init(method: .post, path: "/api/auth/verify-passcode", answer: verify),
            .init(method: .post, path: "/api/auth/update-settings", answer: update),
            .init(method: .post, path: "/api/auth/request-reset", answer: requestReset, takesCodes: true),
            .init(method: .post, path: "/api/auth/reset-passcode", answer: reset, takesCodes: true),
            .init(method: .post, path: "/api/admin/update-account", answer: administer),
            .init(method: .get, path: "/openapi.json", answer: document),
            .init(method: .get, path: "/live", answer: live),
            .init(method: .get, path: "/health", answer: health),
            .init(method: .get, path: "/ready", answer: ready),
            .init(method: .get, path: "/metrics", answer: numbers),
        ])
    }

    // MARK: Who is there

    private func open(_ request: Request, readsPasscode: Bool = false) async throws -> SessionDesk.Open {
        guard let token = request.bearer,
            let session = try await sessions.session(token, readsPasscode: readsPasscode)
        else { throw Problem.notSignedIn }
        return session
    }

    /// Returns the session of a signed-in person; throws if the person is held back.
    private func person(
        _ request: Request,
        readsPasscode: Bool = false
    ) async throws -> SessionDesk.Open {
        let session = try await open(request, readsPasscode: readsPasscode)
        try session.account.check(setsPasscode: false)
        return session
    }

    /// Returns the session of a signed-in person who may have a passcode.
    private func holder(_ request: Request) async throws -> SessionDesk.Open {
        let session = try await open(request)
        try session.account.check(setsPasscode: true)
        return session
    }

    /// Returns the body of a request that needs a session. A request without a token is refused at once.
    ///
    /// The caller looks at the session after that, because a client decides when its body ends. A session
    /// that was found before may have ended meanwhile.
    private func bodyInSession<Body: Decodable>(
        _ body: Body.Type,
        _ request: Request,
        _ context: ServerContext
    ) async throws -> Body {
        guard let token = request.bearer, SessionDesk.isToken(token) else { throw Problem.notSignedIn }
        return try await request.json(body, context)
    }

    /// The owner of a reset: the signed-in person, or an address and role.
    private func owner(
        _ request: Request,
        _ context: ServerContext,
        _ email: MailAddress?,
        _ role: AccountRole?
    ) async throws -> CodeOwner {
        if request.bearer != nil { return CodeOwner(.reset, try await holder(request)) }
        guard let email, let role else {
            throw Problem.malformed("Without a session, the members email and role are needed.")
        }
        // An account that may not reset counts as no account here, because the answer must not tell the two
        // apart.
        let listed = accounts.account(email, role)
        let record = try await accounts.record(of: listed).record
        let account = listed?.restricted(by: record)
        return CodeOwner(
            .reset,
            email,
            role,
            account: account?.takesPasscode == true ? account : nil,
            from: context.network.name,
            slots: codes.policy.slots
        )
    }

    private func answer(_ requested: CodeDesk.Requested) throws -> Response {
        switch requested {
        case .sent(let request): try Response(.accepted, json: RequestedAnswer(request: request))
        case .throttled(let wait): throw Problem.throttled("Too many codes were requested.", wait)
        }
    }

    // MARK: Signing in and out

    @Sendable
    private func requestSignIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.json(RequestSignInBody.self, context)
        return try await times.evenly {
            try answer(try await codes.request(signInOwner(body.email, body.role, context)))
        }
    }

    private func signInOwner(
        _ email: MailAddress,
        _ role: AccountRole,
        _ context: ServerContext
    ) -> CodeOwner {
        let account = accounts.account(email, role)
        return CodeOwner(
            .signIn,
            email,
            role,
            account: account,
            from: context.network.name,
            slots: codes.policy.slots
        )
    }

    @Sendable
    private func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.json(SignInBody.self, context)
        let digits = try body.code.code()
        return try await times.evenly {
            let owner = signInOwner(body.email, body.role, context)
            return try await begin(with: digits, for: body.request, of: owner)
        }
    }

    /// Begins a session if the code is right.
    private func begin(
        with digits: SecretBytes,
        for request: AccountCodeRequest,
        of owner: CodeOwner
    ) async throws -> Response {
        guard let code = try await codes.attempt(digits, for: request, of: owner),
            let account = owner.account
        else {
            throw Problem.codeRefused
        }
        while let redeemed = try await codes.redeeming(code, of: owner) {
            let (token, beginning) = try await sessions.beginning(for: account)
            // The answer includes the changes by an administrator's calls, as the session's route does. The
            // record is read before the code is used. After that, a failed read would cost the person the
            // session.
            let record = try await accounts.record(of: account).record
            guard try await sessions.items.commit([redeemed, beginning]).isEmpty else { continue }
            // If the accounts were replaced meanwhile, the sessions of those that are gone may have been
            // ended before this one began.
            guard accounts[account.id]?.role == account.role else {
                _ = try await sessions.items.store.remove(beginning.name)
                throw Problem.codeRefused
            }
            return try Response(
                .ok,
                json: SignedInAnswer(
                    token: token,
                    expiresIn: Problem.seconds(sessions.lifetime),
                    user: UserAnswer(account.restricted(by: record))
                )
            )
        }
        throw Problem.codeRefused
    }

    @Sendable
    private func session(_ request: Request, _ context: ServerContext) async throws -> Response {
        try Response(.ok, json: UserAnswer(try await open(request).account))
    }

    @Sendable
    private func logOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await sessions.end(try await open(request))
        return Response(status: .noContent)
    }

    @Sendable
    private func logOutEverywhere(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await sessions.endAll(of: try await open(request).account.id)
        return Response(status: .noContent)
    }

    // MARK: Passcodes

    @Sendable
    private func status(_ request: Request, _ context: ServerContext) async throws -> Response {
        let account = try await person(request).account
        let (hasPasscode, record) = try await passcodes.status(account.id)
        return try Response(
            .ok,
            json: StatusAnswer(
                hasPasscode: hasPasscode,
                isEnabled: account.passcodesEnabled,
                timeoutMinutes: TimeoutWord(record.timeout),
                revision: record.revision
            )
        )
    }

    @Sendable
    private func set(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await bodyInSession(SetBody.self, request, context)
        let session = try await holder(request)
        let isSet = try await passcodes.set(body.passcode.bytes, in: session, as: body.revision)
        return try Response(.ok, json: OutcomeAnswer(isSet ? "set" : "alreadySet"))
    }

    @Sendable
    private func change(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await bodyInSession(ChangeBody.self, request, context)
        let session = try await holder(request)
        let verdict = try await passcodes.change(
            from: body.current.bytes,
            to: body.new.bytes,
            in: session,
            as: body.revision
        )
        return try Response(.ok, json: OutcomeAnswer(verdict))
    }

    @Sendable
    private func verify(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await bodyInSession(VerifyBody.self, request, context)
        let session = try await person(request, readsPasscode: true)
        let verdict = try await passcodes.verify(body.passcode.bytes, in: session)
        return try Response(.ok, json: OutcomeAnswer(verdict))
    }

    @Sendable
    private func update(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await bodyInSession(SettingsBody.self, request, context)
        let session = try await person(request)
        switch body.change {
        case .timeout(let timeout):
            try await passcodes.setTimeout(timeout, in: session)
            return try Response(.ok, json: OutcomeAnswer(.right))
        case .switchOff(let current, let revision):
            let verdict = try await passcodes.switchOff(current.bytes, in: session, as: revision)
            return try Response(.ok, json: OutcomeAnswer(verdict))
        }
    }

    @Sendable
    private func requestReset(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.json(RequestResetBody.self, context, isOptional: true)
        return try await times.evenly {
            try answer(try await codes.request(try await owner(request, context, body.email, body.role)))
        }
    }

    @Sendable
    private func reset(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.json(ResetBody.self, context)
        let digits = try body.code.code()
        let isReset = try await times.evenly {
            try await passcodes.reset(
                digits,
                for: body.request,
                to: body.new.bytes,
                of: try await owner(request, context, body.email, body.role),
                as: body.revision
            )
        }
        return try Response(.ok, json: OutcomeAnswer(isReset ? "reset" : "refused"))
    }
}
