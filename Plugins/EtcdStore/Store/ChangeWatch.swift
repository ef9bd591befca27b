#if EtcdStore
internal import AdapterKit
internal import Foundation
internal import GRPCCore
internal import PortcullisCore
internal import SwiftProtobuf
internal import Synchronization

/// Signals the changes of all clients, through one watch of all items under the prefix.
///
/// The watch begins with the first listener, at the revision after the latest known one. So it also signals
/// changes that are made while the cluster still sets the watch up.
final class ChangeWatch: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isStopped = false
        /// The revision at which the watch begins or resumes.
        var next: Int64 = 0
        /// Whether a node has confirmed the present watch.
        var isConfirmed = false
    }

    private let cluster: EtcdCluster
    private let keys: KeyForm
    private let signals: ChangeSignals
    private let state = Mutex(State())

    init(_ cluster: EtcdCluster, _ keys: KeyForm, _ signals: ChangeSignals) {
        (self.cluster, self.keys, self.signals) = (cluster, keys, signals)
    }

    func start() {
        state.withLock { state in
            guard state.task == nil, !state.isStopped else { return }
            state.next = cluster.revision + 1
            state.task = Task { [weak self] in await self?.run() }
        }
    }

    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    private func run() async {
        let backOff = BackOff(
            immediateTries: 1,
            first: .milliseconds(50),
            limit: .seconds(1),
            draw: { .random(in: 0.5..<1) },
            sleep: { try? await Task.sleep(for: $0) }
        )
        var tries = 0
        while !Task.isCancelled {
            let before = state.withLock { $0.next }
            // The stream is opened before the node is read, so it has each departure from this node.
            let departures = cluster.departures.stream()
            let node = cluster.node
            do { try await watch(node, departures) } catch {
                let failure = AttemptFailure(error, wasSent: false)
                if failure.remedy != .logIn { cluster.leave(node) }
                guard !Task.isCancelled else { return }
                cluster.configuration.onEvent(.watchInterrupted(node: node.endpoint, code: failure.code))
            }
            tries = state.withLock { $0.next } > before ? 0 : tries + 1
            await backOff.wait(after: tries)
        }
    }

    /// Watches through one node until the watch ends. The call also ends if the other calls leave the node,
    /// or if the cluster's deadline passes before the node has confirmed the watch.
    ///
    /// The deadline is for a node that accepts connections and then sends nothing. The transport waits
    /// without limit for the node's first message, and sends no keepalive before that message. A node that
    /// fails after its first message, for example because its disk has stalled, may still answer keepalives.
    /// In that case the other calls notice the failure.
    private func watch(_ node: EtcdNode, _ departures: AsyncStream<EtcdNode>) async throws {
        state.withLock { $0.isConfirmed = false }
        let limit = cluster.configuration.deadline
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.listen(to: node)
                return true
            }
            group.addTask {
                try await Task.sleep(for: limit)
                guard self.state.withLock({ $0.isConfirmed }) else {
                    throw RPCError(code: .deadlineExceeded, message: "the node did not confirm the watch")
                }
                return false
            }
            group.addTask {
                for await left in departures where left === node {
                    throw RPCError(code: .unavailable, message: "the calls have left the node")
                }
                return false
            }
            while let hasEnded = try await group.next(), !hasEnded {}
            group.cancelAll()
        }
    }

    private func listen(to node: EtcdNode) async throws {
        let options = EtcdCluster.options(timeout: cluster.configuration.attemptTimeout)
        var (metadata, login) = try await cluster.metadata(node, options)
        // With the metadata field `hasleader`, the node ends the watch when it is cut off from the other
        // nodes.
        EtcdCluster.demandLeader(&metadata)
        let create = Etcdserverpb_WatchRequest.with {
            $0.createRequest = .with {
                $0.key = keys.itemsStart
                $0.rangeEnd = keys.itemsEnd
                $0.startRevision = state.withLock { $0.next }
                $0.progressNotify = true
                // Without fragments, the changes of up to 1,000 revisions come in one message, however large.
                $0.fragment = true
            }
        }
        do {
            try await Etcdserverpb_Watch.Client(wrapping: node.client).watch(
                metadata: metadata,
                options: EtcdCluster.options(timeout: nil),
                requestProducer: { writer in
                    try await writer.write(create)
                    // The request stream must stay open as long as the watch. The sleep ends when the call is
                    // cancelled.
                    try await Task.sleep(for: .seconds(365 * 24 * 3600))
                },
                onResponse: { [self] response in
                    for try await message in response.messages {
                        guard try take(message) else { return }
                    }
                }
            )
        } catch {
            // Some releases of etcd report an expired token as a missing permission. So each refusal makes
            // the next attempt log in again.
            let isRefused = AttemptFailure(error, wasSent: false).code.portable == .notPermitted
            if isRefused { cluster.forget(login) }
            throw error
        }
    }

    /// Handles a message of the watch.
    ///
    /// - Returns: whether the watch continues after this message.
    private func take(_ message: Etcdserverpb_WatchResponse) throws -> Bool {
        if message.compactRevision > 0 {
            // The cluster has dropped changes that the watch has not reported yet, so the changed items are
            // unknown. Every observed item is signalled.
            try EtcdCluster.demandRevision(message.compactRevision)
            state.withLock { $0.next = max($0.next, message.compactRevision) }
            cluster.configuration.onEvent(.watchCompacted)
            signals.send(signals.observed)
            return false
        }
        if message.canceled {
            throw RPCError(code: Self.code(of: message.cancelReason), message: message.cancelReason)
        }
        if message.created {
            state.withLock { $0.isConfirmed = true }
        } else {
            try cluster.note(message.header, message.events.map(\.kv))
            state.withLock { $0.next = max($0.next, Self.next(after: message)) }
        }
        signals.send(Set(message.events.compactMap { keys.name($0.kv.key) }))
        return true
    }

    /// The revision at which the watch resumes after a message.
    private static func next(after message: Etcdserverpb_WatchResponse) -> Int64 {
        // The header has the cluster's present revision, even while earlier changes are still to come in
        // further messages. A message without changes comes only when no change is missing. So the header's
        // revision counts only in such a message.
        guard let last = message.events.last?.kv.modRevision else { return message.header.revision + 1 }
        // The next fragment may contain further changes of the last revision.
        return message.fragment ? last : last + 1
    }

    /// The gRPC code for the reason that a node gives when it ends a watch. The reason is only a text.
    private static func code(of reason: String) -> RPCError.Code {
        if reason.contains("invalid auth token") || reason.contains("Unauthenticated") {
            return .unauthenticated
        }
        if reason.contains("permission denied") { return .permissionDenied }
        return reason.contains("revision of auth store is old") ? .invalidArgument : .unavailable
    }
}
#endif
