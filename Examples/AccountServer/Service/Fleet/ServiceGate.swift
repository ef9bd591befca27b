internal import Hummingbird
internal import HTTPTypes
internal import Synchronization

/// Whether this server answers, apart from the state of its store. The gate is closed while the clock is not
/// to be trusted. While the server drains, only the check of the proxy finds it closed.
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
    /// - Returns: whether this call opened or closed the gate.
    @discardableResult
    package func set(_ objection: String?) -> Bool {
        state.withLock { state in
            defer { state.objection = objection }
            return (state.objection == nil) != (objection == nil)
        }
    }

    /// Makes the server not ready, so that a proxy sends new requests elsewhere. Requests that still arrive
    /// are answered.
    package func drain() { state.withLock { $0.isDraining = true } }

    /// The reason why requests are not answered; `nil` if they are.
    package var objection: String? { state.withLock { $0.objection } }

    /// The reason why the server is not ready; `nil` if it is.
    package var unreadiness: String? {
        state.withLock { $0.objection ?? ($0.isDraining ? "the server is about to end" : nil) }
    }
}

/// Answers requests with 503 while the gate is closed. Requests that watch the server are still answered.
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
