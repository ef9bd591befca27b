internal import HTTPTypes
internal import Hummingbird

/// Every route of the server, in one list.
struct RouteTable: Sendable {
    /// One route.
    struct Route: Sendable {
        var method: HTTPRequest.Method
        var path: String
        var answer: @Sendable (Request, ServerContext) async throws -> Response
        /// Whether the route sends mail or takes a code. Then the lower limit holds too.
        var takesCodes = false
    }

    let list: [Route]
    private let methodsByPath: [String: [String]]
    private let codePaths: Set<String>

    init(_ list: [Route]) {
        self.list = list
        methodsByPath = Dictionary(list.map { ($0.path, [$0.method.rawValue]) }) { $0 + $1 }
        codePaths = Set(list.filter(\.takesCodes).map(\.path))
    }

    /// The methods of a path; empty if there is no such path.
    func methods(at path: String) -> [String] { methodsByPath[path] ?? [] }

    func takesCodes(_ path: String) -> Bool { codePaths.contains(path) }

    func isForWatching(_ path: String) -> Bool { ["/live", "/health", "/ready", "/metrics"].contains(path) }
}
