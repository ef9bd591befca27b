#if EtcdStore
internal import AdapterKit
internal import GRPCCore
internal import GRPCProtobuf
internal import PortcullisCore
internal import SwiftProtobuf
internal import Synchronization

/// The nodes of a cluster. A call is sent to one node. If that node does not answer, the call is sent to
/// another node.
final class EtcdCluster: Sendable {
    /// One attempt of a call: the node, and the request's metadata and options. `mark` records whether the
    /// request was sent.
    struct Attempt: Sendable {
        let node: EtcdNode
        let metadata: Metadata
        let options: CallOptions
        let mark: SendMark
    }

    /// A login. Its value is the token.
    typealias Login = Task<String, any Error>

    private struct State {
        /// The index of the node that gets the next request.
        var current = 0
        /// The login whose token is used. It may still be under way. All calls share it, because a login
        /// takes a node much longer than other calls.
        var login: Login?
        /// The latest revision that any answer named.
        var revision: Int64 = 0
    }

    let configuration: EtcdConfiguration
    let nodes: [EtcdNode]
    /// Each node that was left for another one.
    let departures = Broadcaster<EtcdNode>()
    private let backOff: BackOff
    private let state: Mutex<State>

    init(_ configuration: EtcdConfiguration) throws(SecretStoreError) {
        guard !configuration.endpoints.isEmpty else {
            throw SecretStoreError(code: .etcdBadEndpoint, message: "a cluster has at least one endpoint")
        }
        guard (1...64).contains(configuration.prefix.utf8.count) else {
            throw SecretStoreError(code: .invalidName, message: "a prefix is 1 to 64 bytes of UTF-8")
        }
        var nodes: [EtcdNode] = []
        for endpoint in configuration.endpoints { nodes.append(try EtcdNode(endpoint, configuration.tls)) }
        (self.configuration, self.nodes) = (configuration, nodes)
        // Each client begins with a random node, so that clients spread over the nodes.
        state = Mutex(State(current: .random(in: nodes.indices)))
        backOff = BackOff(
            immediateTries: nodes.count - 1,
            first: .milliseconds(20),
            limit: .milliseconds(200),
            draw: { .random(in: 0.5..<1) },
            sleep: { try? await Task.sleep(for: $0) }
        )
    }

    /// The latest revision that any answer named.
    var revision: Int64 { state.withLock { $0.revision } }

    /// Notes the revision of an answer.
    ///
    /// - Parameter entries: the answer's keys.
    /// - Throws: `systemFailure` if the answer has a revision that no cluster has; see
    ///   ``demandRevision(_:)``.
    func note(
        _ header: Etcdserverpb_ResponseHeader,
        _ entries: [Etcdserverpb_KeyValue] = []
    ) throws(SecretStoreError) {
        try Self.demandRevision(header.revision)
        for entry in entries { try Self.demandRevision(entry.modRevision) }
        state.withLock { $0.revision = max($0.revision, header.revision) }
    }

    /// Refuses a revision that no cluster has. The revisions of a cluster are positive, and `Int64.max` has
    /// no next revision, from which a watch could start.
    static func demandRevision(_ revision: Int64) throws(SecretStoreError) {
        guard (1..<Int64.max).contains(revision) else {
            throw SecretStoreError(
                code: .systemFailure,
                message: "the node's answer has an impossible revision"
            )
        }
    }

    func close() { for node in nodes { node.close() } }

    /// The node that gets the next request.
    var node: EtcdNode { nodes[state.withLock { $0.current }] }

    /// Selects the node after a node that failed, and tells ``departures``. Does nothing if another call has
    /// already selected another node, or if there is no other node.
    func leave(_ node: EtcdNode) {
        let isLeft = state.withLock { state in
            guard nodes.count > 1, nodes[state.current] === node else { return false }
            state.current = (state.current + 1) % nodes.count
            return true
        }
        if isLeft { departures.send(node) }
    }

    /// Sends a request to one node after the other, until a node answers or the deadline has passed.
    ///
    /// - Parameters:
    ///   - isChange: whether the request changes something other than a lease.
    ///   - body: sends the request. It is called for each attempt. The cluster may carry out several
    ///     attempts. So a change needs a condition that the change makes false. The condition that an item is
    ///     absent can become true again; ``EtcdStore/EtcdStore`` says when.
    /// - Returns: the answer, and whether an earlier attempt may have made the change as well.
    /// - Throws: `outcomeUnknown` if an attempt may have made the change; otherwise the last failure.
    func call<Answer: Sendable>(
        isChange: Bool = false,
        _ body: @Sendable (Attempt) async throws -> Answer
    ) async throws(SecretStoreError) -> (answer: Answer, isUnsettled: Bool) {
        let due = ContinuousClock.now + configuration.deadline
        var isUnsettled = false
        var (tries, refusals) = (0, 0)
        while true {
            let node = node
            let failure: AttemptFailure
            switch await attempt(body, node, due - .now) {
            case .success(let answer): return (answer, isUnsettled)
            case .failure(let found): failure = found
            }
            isUnsettled = isUnsettled || (isChange && failure.mayBeMade)
            configuration.onEvent(.attemptFailed(node: node.endpoint, code: failure.code))
            if failure.code.portable == .notPermitted { refusals += 1 }
            // A refusal may concern only one node or an expired token, so another attempt can succeed. After
            // more refusals than there are nodes, no further attempt is made.
            let isOver = failure.remedy == .none || refusals > nodes.count || ContinuousClock.now >= due
            guard !isOver else { throw error(failure, isUnsettled) }
            // If the node refused the token, the next attempt logs in anew at the same node.
            if failure.remedy != .logIn { leave(node) }
            await backOff.wait(after: tries)
            tries += 1
        }
    }

    private func attempt<Answer: Sendable>(
        _ body: @Sendable (Attempt) async throws -> Answer,
        _ node: EtcdNode,
        _ left: Duration
    ) async -> Result<Answer, AttemptFailure> {
        let mark = SendMark()
        let options = Self.options(timeout: max(min(configuration.attemptTimeout, left), .milliseconds(1)))
        var login: Login?
        do {
            var metadata: Metadata
            (metadata, login) = try await self.metadata(node, options)
            Self.demandLeader(&metadata)
            return .success(
                try await body(Attempt(node: node, metadata: metadata, options: options, mark: mark))
            )
        } catch {
            let failure = AttemptFailure(error, wasSent: mark.wasSent)
            if failure.remedy == .logIn { forget(login) }
            return .failure(failure)
        }
    }

    private func error(_ failure: AttemptFailure, _ isUnsettled: Bool) -> SecretStoreError {
        let code = isUnsettled ? SecretStoreErrorCode.outcomeUnknown : failure.code
        configuration.onEvent(.callFailed(code: code))
        return SecretStoreError(code: code, message: failure.message, cause: failure.cause)
    }

    /// Returns the options of a call.
    ///
    /// - Parameter timeout: `nil` for a call without end.
    static func options(timeout: Duration?) -> CallOptions {
        var options = CallOptions.defaults
        options.timeout = timeout
        // By default the transport refuses an answer of more than 4 MiB, but the answer to a read of several
        // items may be larger. The transport takes the limit of answers from the option for requests.
        options.maxRequestMessageBytes = largestAnswer
        options.maxResponseMessageBytes = largestAnswer
        return options
    }

    /// The size in bytes of the largest answer with a cluster's default limits: 128 items of 1.5 MiB.
    private static let largestAnswer = 128 * 3 << 19

    /// Returns the metadata of a request: the token, if the configuration has a login. If there is no token
    /// yet, the call logs in, or waits for the login of another call.
    ///
    /// - Returns: the metadata, and the login of the token for ``forget(_:)``.
    func metadata(
        _ node: EtcdNode,
        _ options: CallOptions
    ) async throws -> (metadata: Metadata, login: Login?) {
        guard let account = configuration.login else { return ([:], nil) }
        let login = state.withLock { state in
            if let login = state.login { return login }
            // Other calls may wait for this login, so the cancellation of this call does not cancel the
            // login.
            let login = Task { try await Self.token(for: account, at: node, options) }
            state.login = login
            return login
        }
        do { return (["token": "\(try await login.value)"], login) } catch {
            forget(login)
            throw error
        }
    }

    private static func token(
        for account: EtcdConfiguration.Login,
        at node: EtcdNode,
        _ options: CallOptions
    ) async throws -> String {
        let request = Etcdserverpb_AuthenticateRequest.with {
            $0.name = account.user
            $0.password = account.password.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
        }
        let client = Etcdserverpb_Auth.Client(wrapping: node.client)
        var metadata: Metadata = [:]
        Self.demandLeader(&metadata)
        return try await client.authenticate(request, metadata: metadata, options: options).token
    }

    /// Forgets a login that failed, or whose token is not valid any more. If another call has logged in
    /// since, that login stays.
    func forget(_ login: Login?) {
        guard let login else { return }
        state.withLock { if $0.login == login { $0.login = nil } }
    }

    /// Makes a node that knows no leader refuse the request at once. Without this metadata, the node would
    /// keep a read waiting until the attempt ends, even if the cluster elects a new leader meanwhile.
    static func demandLeader(_ metadata: inout Metadata) { metadata.addString("true", forKey: "hasleader") }
}
#endif
