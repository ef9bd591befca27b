internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import PortcullisCore

/// The routes for the operation of the server.
extension AccountAPI {
    /// Makes an administrator's changes, which take effect at once in all processes on the store.
    @Sendable
    func administer(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard let administratorToken, let token = request.bearer,
            administratorToken.matches(SecretBytes(copying: token.utf8))
        else { throw Problem.notAdministrator }
        let body = try await request.json(AdministerBody.self, context)
        guard accounts[body.id] != nil else { return try Response(.ok, json: OutcomeAnswer("unknown")) }
        try await accounts.update(body.id) { record in
            if let isEnabled = body.passcodesEnabled { record.isDisabled = isEnabled ? nil : true }
            if let quarantine = body.quarantine { record.quarantine = quarantine }
            if body.endsSessions { record.raiseEpoch() }
        }
        return try Response(.ok, json: OutcomeAnswer("updated"))
    }

    /// Whether the process answers at all. A supervisor that restarts the process asks this, whether or not
    /// the store answers.
    @Sendable
    func live(_ request: Request, _ context: ServerContext) async throws -> Response {
        try Response(.ok, json: ["status": "ok"])
    }

    /// Whether requests can be carried out now: the store takes a write, the clock is to be trusted, and the
    /// server is not about to end.
    @Sendable
    func ready(_ request: Request, _ context: ServerContext) async throws -> Response {
        if let reason = gate.unreadiness { throw Problem.notReady(reason) }
        try await readiness.check()
        return try Response(.ok, json: ["status": "ok"])
    }

    @Sendable
    func document(_ request: Request, _ context: ServerContext) async throws -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.openapi_json))
        )
    }

    /// Whether the store can be read. Without the store no request can be carried out.
    @Sendable
    func health(_ request: Request, _ context: ServerContext) async throws -> Response {
        do {
            _ = try await passcodes.items.read(passcodes.items.accountName(.device), or: AccountRecord())
        } catch {
            context.logger.error("store cannot be read", metadata: ["reason": "\(error)"])
            throw Problem.busy
        }
        return try Response(.ok, json: ["status": "ok"])
    }

    @Sendable
    func numbers(_ request: Request, _ context: ServerContext) async throws -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: metrics.text(passcodes.pool.load, book.load) + moreMetrics())
            )
        )
    }
}
