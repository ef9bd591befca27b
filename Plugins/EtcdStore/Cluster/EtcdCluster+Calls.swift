#if EtcdStore
internal import AdapterKit
internal import GRPCCore
internal import GRPCProtobuf
internal import PortcullisCore
internal import SwiftProtobuf

extension EtcdCluster {
    /// Completes the work even if the calling task is cancelled. Each call to the cluster has a deadline of
    /// its own.
    ///
    /// In a cancelled task each attempt would fail at once, and no wait would separate the attempts. The work
    /// runs in Swift's pool, so that it does not keep the caller's actor busy.
    func carryThrough<Answer: Sendable>(
        _ work: @escaping @Sendable () async throws(SecretStoreError) -> Answer
    ) async throws(SecretStoreError) -> Answer {
        try await AdapterKit.carryThrough(isolation: nil, work)
    }

    /// Reads keys. The read is linearizable, except when the request asks for a serializable read.
    func range(
        _ request: Etcdserverpb_RangeRequest
    ) async throws(SecretStoreError) -> Etcdserverpb_RangeResponse {
        let answer = try await call { attempt in
            try await Etcdserverpb_KV.Client(wrapping: attempt.node.client).range(
                request: ClientRequest(message: request, metadata: attempt.metadata),
                serializer: MarkingSerializer<Etcdserverpb_RangeRequest>(mark: attempt.mark),
                deserializer: ProtobufDeserializer<Etcdserverpb_RangeResponse>(),
                options: attempt.options
            )
        }.answer
        try note(answer.header, answer.kvs)
        return answer
    }

    /// Reads keys, or ranges of keys, at one revision. The read is linearizable.
    func ranges(
        _ requests: [Etcdserverpb_RangeRequest]
    ) async throws(SecretStoreError) -> [Etcdserverpb_RangeResponse] {
        let request = Etcdserverpb_TxnRequest.with {
            $0.success = requests.map { range in .with { $0.requestRange = range } }
        }
        return try await txn(isChange: false) { request }.answer.responses.map(\.responseRange)
    }

    /// Makes changes in one transaction.
    ///
    /// The request may be sent several times. So that the changes are not made twice, the request needs a
    /// condition that the changes make false. The condition that an item is absent is not enough: it becomes
    /// true again if another client removes the item.
    ///
    /// - Returns: the answer, and whether an earlier attempt may have made the changes as well.
    /// - Throws: `outcomeUnknown` if an attempt may have made the changes, or if the answer has an invalid
    ///   revision; otherwise the last failure.
    func txn(
        _ request: Etcdserverpb_TxnRequest
    ) async throws(SecretStoreError) -> (answer: Etcdserverpb_TxnResponse, isUnsettled: Bool) {
        try await txn(isChange: true) { request }
    }

    /// Makes changes as ``txn(_:)`` does. The request is made anew for each attempt, just before it is sent.
    func txn(
        making request: @Sendable () -> Etcdserverpb_TxnRequest
    ) async throws(SecretStoreError) -> (answer: Etcdserverpb_TxnResponse, isUnsettled: Bool) {
        try await txn(isChange: true, request)
    }

    private func txn(
        isChange: Bool,
        _ request: @Sendable () -> Etcdserverpb_TxnRequest
    ) async throws(SecretStoreError) -> (answer: Etcdserverpb_TxnResponse, isUnsettled: Bool) {
        let ended = try await call(isChange: isChange) { attempt in
            try await Etcdserverpb_KV.Client(wrapping: attempt.node.client).txn(
                request: ClientRequest(message: request(), metadata: attempt.metadata),
                serializer: MarkingSerializer<Etcdserverpb_TxnRequest>(mark: attempt.mark),
                deserializer: ProtobufDeserializer<Etcdserverpb_TxnResponse>(),
                options: attempt.options
            )
        }
        do throws(SecretStoreError) {
            try note(ended.answer.header, ended.answer.responses.flatMap(\.responseRange.kvs))
        } catch {
            // The revision in the answer is invalid. But the node has answered, so it may have made the
            // change.
            throw isChange
                ? SecretStoreError(code: .outcomeUnknown, message: error.message, cause: error) : error
        }
        return ended
    }
}
#endif
