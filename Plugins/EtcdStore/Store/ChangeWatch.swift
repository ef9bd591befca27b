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
            let node = cluster.node
            do { try await watch(node) } catch {
                let failure = AttemptFailure(error, wasSent: false)
                if failure.remedy == .logIn { cluster.forgetToken() } else { cluster.leave(node) }
                guard !Task.isCancelled else { return }
                cluster.configuration.onEvent(.watchInterrupted(node: node.endpoint, code: failure.code))
            }
            tries = state.withLock { $0.next } > before ? 0 : tries + 1
            await backOff.wait(after: tries)
        }
    }

    /// Watches through one node until the watch ends.
    private func watch(_ node: EtcdNode) async throws {
        var options = CallOptions.defaults
        options.timeout = cluster.configuration.attemptTimeout
        var metadata = try await cluster.metadata(node, options)
        // With the metadata field `hasleader`, the node ends the watch when it is cut off from the other
        // nodes.
        EtcdCluster.demandLeader(&metadata)
        let create = Etcdserverpb_WatchRequest.with {
            $0.createRequest = .with {
                $0.key = keys.itemsStart
                $0.rangeEnd = keys.itemsEnd
                $0.startRevision = state.withLock { $0.next }
                $0.progressNotify = true
            }
        }
        try await Etcdserverpb_Watch.Client(wrapping: node.client).watch(
            metadata: metadata,
            requestProducer: { writer in
                try await writer.write(create)
                // The request stream must stay open as long as the watch. The sleep ends when the call is
                // cancelled.
                try await Task.sleep(for: .seconds(365 * 24 * 3600))
            },
            onResponse: { [self] response in
                for try await message in response.messages where !(try take(message)) { return }
            }
        )
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
            throw RPCError(code: .unavailable, message: message.cancelReason)
        }
        if !message.created {
            try cluster.note(message.header)
            state.withLock { $0.next = max($0.next, message.header.revision + 1) }
        }
        signals.send(Set(message.events.compactMap { keys.name($0.kv.key) }))
        return true
    }
}
#endif
