#if EtcdStore
internal import GRPCCore
internal import PortcullisCore

/// The failure of one call at one node, and what the client can do about it.
struct AttemptFailure: Error {
    enum Remedy: Sendable {
        /// Every node would fail in the same way. The failure is passed to the caller.
        case none
        /// Another node may succeed now, or the same node may succeed later.
        case tryElsewhere
        /// The token is not valid any more. The client logs in again.
        case logIn
    }

    let code: SecretStoreErrorCode
    let message: String
    let remedy: Remedy
    /// Whether the node may have made the change, or may still make it.
    let mayBeMade: Bool
    let cause: (any Error)?

    /// Makes the failure from the error of a call.
    ///
    /// - Parameter wasSent: whether the request left this process.
    init(_ error: any Error, wasSent: Bool) {
        guard let error = error as? RPCError else {
            self.init(.systemFailure, "the call failed", .none, mayBeMade: wasSent, error)
            return
        }
        self = Self.known(error) ?? Self.other(error, wasSent: wasSent)
    }

    private init(
        _ code: SecretStoreErrorCode,
        _ message: String,
        _ remedy: Remedy,
        mayBeMade: Bool = false,
        _ cause: (any Error)?
    ) {
        (self.code, self.message, self.remedy) = (code, message, remedy)
        (self.mayBeMade, self.cause) = (mayBeMade, cause)
    }

    /// Recognizes etcd's own errors by code and fixed text (api/v3rpc/rpctypes/error.go), and one error of
    /// its gRPC library. A call that failed with one of these errors changed nothing. There is one exception:
    /// a transaction with the error `etcdNoSpace` may have been made, and ``EtcdStore/EtcdStore`` searches
    /// for the transaction's mark.
    private static func known(_ error: RPCError) -> AttemptFailure? {
        let text = error.message
        func says(_ words: String) -> Bool { text.contains(words) }
        func failure(_ code: SecretStoreErrorCode, _ message: String, _ remedy: Remedy = .none) -> Self {
            Self(code, message, remedy, error)
        }
        switch error.code {
        case .resourceExhausted where says("database space exceeded"):
            return failure(.etcdNoSpace, "the cluster's space is used up")
        case .resourceExhausted where says("too many requests"):
            return failure(.etcdOverloaded, "the cluster takes no more requests", .tryElsewhere)
        case .invalidArgument where says("request is too large") || says("too many operations"):
            return failure(.tooLarge, "the cluster takes no change of this size")
        // The node's gRPC library also refuses large requests. Its limit is above etcd's limit.
        case .resourceExhausted where says("received message larger than max"):
            return failure(.tooLarge, "the cluster takes no change of this size")
        case .invalidArgument where says("authentication failed") || says("user name is empty"):
            return failure(.etcdWrongPassword, "the user or the password is wrong")
        case .invalidArgument where says("revision of auth store is old"):
            return failure(.etcdWrongPassword, "the token is older than the cluster's users", .logIn)
        case .failedPrecondition where says("authentication is not enabled"):
            return failure(.etcdWrongPassword, "the cluster knows no passwords")
        case .unauthenticated:
            return failure(.etcdWrongPassword, "the token is not valid any more", .logIn)
        case .permissionDenied:
            return failure(.etcdForbidden, "the cluster's user may not do this")
        case .outOfRange where says("compacted"):
            return failure(.etcdCompacted, "the revision is not kept any more")
        case .dataLoss:
            return failure(.etcdCorrupt, "the node's data are damaged", .tryElsewhere)
        case .unavailable where says("no leader"):
            return failure(.etcdNoLeader, "the cluster has no leader", .tryElsewhere)
        default: return nil
        }
    }

    private static func other(_ error: RPCError, wasSent: Bool) -> AttemptFailure {
        func failure(_ code: SecretStoreErrorCode, _ message: String) -> Self {
            Self(code, message, .tryElsewhere, mayBeMade: wasSent, error)
        }
        let causes = "\(error) \(error.cause.map { "\($0)" } ?? "")"
        if let code = certificateCode(causes) { return failure(code, "a certificate was not accepted") }
        switch error.code {
        case .deadlineExceeded:
            return wasSent
                ? failure(.etcdSlow, "the node did not answer in time")
                : failure(.etcdUnreachable, "the node was not connected to in time")
        case .unavailable where error.message.contains("request timed out"):
            return failure(.etcdNoLeader, "the node found no majority in time")
        case .unavailable, .cancelled, .unknown, .internalError, .aborted:
            return failure(wasSent ? .etcdSlow : .etcdUnreachable, "the node cannot be reached")
        default: return Self(.systemFailure, "the node refused the call", .none, mayBeMade: wasSent, error)
        }
    }

    /// Recognizes a refused certificate by BoringSSL's error texts, because BoringSSL reports a refusal in no
    /// other form.
    private static func certificateCode(_ text: String) -> SecretStoreErrorCode? {
        let upper = text.uppercased()
        if upper.contains("CERTIFICATE_EXPIRED") || upper.contains("CERTIFICATE HAS EXPIRED")
            || upper.contains("EXPIRED_CERTIFICATE")
        {
            return .etcdCertificateExpired
        }
        let refusals = ["CERTIFICATE_VERIFY_FAILED", "BAD_CERTIFICATE", "UNKNOWN_CA", "CERTIFICATE_REQUIRED"]
        return refusals.contains { upper.contains($0) } ? .etcdCertificateRefused : nil
    }
}
#endif
