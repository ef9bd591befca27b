internal import Hummingbird
internal import HTTPTypes
internal import Synchronization

/// Whether this server answers, besides what its store can do: closed while its clock is not to be trusted, and to the proxy
/// while it drains.
package final class ServiceGate: Sendable {
    private struct State {
        var objection: String?
        var isDraining = false
    }

    private let state = Mutex(State())

    /// An open gate.
    package init() {}

    /// Closes the gate for this reason, or opens it.
    ///
    /// - Returns: whether that is news.
    @discardableResult
    package func set(_ objection: String?) -> Bool {
        state.withLock { state in
            defer { state.objection = objection }
            return (state.objection == nil) != (objection == nil)
        }
    }

    /// From now on the server is not ready: a proxy sends new requests elsewhere, and those that come are answered.
    package func drain() { state.withLock { $0.isDraining = true } }

    /// Why requests are not answered; `nil` where they are.
    package var objection: String? { state.withLock { $0.objection } }

    /// Why the server is not ready; `nil` where it is.
    package var unreadiness: String? {
        state.withLock { $0.objection ?? ($0.isDraining ? "the server is about to end" : nil) }
    }
}

/// Answers requests with 503 while the gate is closed; what watches the server is answered all the same.
struct GateMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let gate: ServiceGate
    let routes: RouteTable

    @concurrent
    func handle(
        _ request: Request,
        context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        if !routes.isForWatching(request.uri.path), let reason = gate.objection {
            throw Problem.notReady(reason)
        }
        return try await next(request, context)
    }
}
