public import PortcullisCore

/// The access to an etcd cluster, and the prefix of the items' keys in the cluster.
public struct EtcdConfiguration: Sendable {
    /// The paths of certificate files in PEM form.
    public struct TLS: Sendable {
        /// The certificate authorities that the nodes' certificates are checked against; `nil` for the
        /// authorities that the system trusts.
        public var authorities: String?
        /// This client's certificate, for nodes that request a certificate.
        public var certificate: String?
        /// The private key of this client's certificate.
        public var key: String?

        /// Makes a value with these files.
        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
        }
    }

    /// This client's user and password, for a cluster that requires a login.
    public struct Login: Sendable {
        /// The user's name.
        public var user: String
        /// The password, in UTF-8.
        public var password: SecretBytes

        /// Makes a login of this user.
        public init(user: String, password: SecretBytes) { (self.user, self.password) = (user, password) }
    }

    /// The nodes' addresses, such as `https://10.0.0.1:2379`. Connections to `https` addresses use TLS.
    public var endpoints: [EtcdEndpoint]
    /// The certificates for endpoints of `https`.
    public var tls: TLS
    /// This client's login; `nil` if the cluster has no passwords, or identifies clients by their
    /// certificates.
    public var login: Login?
    /// The beginning of all keys: 1 to 64 bytes of UTF-8. Two stores do not see each other's items if neither
    /// prefix begins with the other prefix.
    public var prefix: String
    /// How long one call to the cluster may take with all its attempts; default: 5 seconds.
    public var deadline: Duration
    /// How long the client waits for one node's answer before it sends the call to another node; default: 0.7
    /// seconds.
    ///
    /// If a node passes a request on to a leader that is gone, the request gets no answer. So after the death
    /// of a leader, a call may take the time of an election plus this timeout. An election takes 1 to 2
    /// seconds with etcd's default settings.
    public var attemptTimeout: Duration
    /// Receives the failures and recoveries, for logs and metrics. It is called on an arbitrary thread and
    /// must not block.
    public var onEvent: @Sendable (EtcdEvent) -> Void

    /// Makes a configuration for a cluster with these nodes.
    public init(
        endpoints: [EtcdEndpoint],
        tls: TLS = TLS(),
        login: Login? = nil,
        prefix: String = "portcullis/",
        deadline: Duration = .seconds(5),
        attemptTimeout: Duration = .milliseconds(700),
        onEvent: @escaping @Sendable (EtcdEvent) -> Void = { _ in }
    ) {
        (self.endpoints, self.tls, self.login, self.prefix) = (endpoints, tls, login, prefix)
        (self.deadline, self.attemptTimeout, self.onEvent) = (deadline, attemptTimeout, onEvent)
    }
}

/// An event in a store's work with its cluster.
public enum EtcdEvent: Sendable {
    /// An attempt of a call failed. The node may have carried the call out nevertheless. If the failure is
    /// not final and the deadline has not passed, another attempt follows.
    case attemptFailed(node: EtcdEndpoint, code: SecretStoreErrorCode)
    /// A call failed after its last attempt.
    case callFailed(code: SecretStoreErrorCode)
    /// No answer confirmed a transaction, but the stored data showed that the transaction was made.
    case outcomeFound
    /// The watch for changes was interrupted. It resumes with the next revision.
    case watchInterrupted(node: EtcdEndpoint, code: SecretStoreErrorCode)
    /// The cluster no longer keeps all changes since the interruption of the watch. Every listener is
    /// signalled.
    case watchCompacted
}
