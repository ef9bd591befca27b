public import PortcullisCore

/// How an etcd cluster is reached, and where in it the items lie.
public struct EtcdConfiguration: Sendable {
    /// Files of certificates in PEM form.
    public struct TLS: Sendable {
        /// What the nodes' certificates are checked against; `nil`: what the system trusts.
        public var authorities: String?
        /// This client's certificate, where the nodes ask for one.
        public var certificate: String?
        /// The certificate's key.
        public var key: String?

        /// These files.
        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
        }
    }

    /// Who this client is, where the cluster asks for a password.
    public struct Login: Sendable {
        /// The user's name.
        public var user: String
        /// The password, in UTF-8.
        public var password: SecretBytes

        /// This user.
        public init(user: String, password: SecretBytes) { (self.user, self.password) = (user, password) }
    }

    /// The nodes' addresses, such as `https://10.0.0.1:2379`; TLS is used with those of `https`.
    public var endpoints: [EtcdEndpoint]
    /// The certificates for endpoints of `https`.
    public var tls: TLS
    /// Who this client is; `nil`: a cluster without passwords, or one that goes by certificates.
    public var login: Login?
    /// What all keys begin with: 1 to 64 bytes of UTF-8. Stores with different prefixes see nothing of each other, unless one
    /// prefix begins with the other.
    public var prefix: String
    /// How long a call may take in all; default: 5 seconds.
    public var deadline: Duration
    /// How long one node has for its answer before another one is asked; default: 1 second.
    public var attemptTimeout: Duration
    /// Is told what goes wrong on the way, for logs and metrics; called on any thread, and must not block.
    public var onEvent: @Sendable (EtcdEvent) -> Void

    /// A cluster with these nodes.
    public init(
        endpoints: [EtcdEndpoint],
        tls: TLS = TLS(),
        login: Login? = nil,
        prefix: String = "portcullis/",
        deadline: Duration = .seconds(5),
        attemptTimeout: Duration = .seconds(1),
        onEvent: @escaping @Sendable (EtcdEvent) -> Void = { _ in }
    ) {
        (self.endpoints, self.tls, self.login, self.prefix) = (endpoints, tls, login, prefix)
        (self.deadline, self.attemptTimeout, self.onEvent) = (deadline, attemptTimeout, onEvent)
    }
}

/// What a store on etcd met with.
public enum EtcdEvent: Sendable {
    /// A node did not do what it was asked; another try follows unless the deadline has passed.
    case attemptFailed(node: EtcdEndpoint, code: SecretStoreErrorCode)
    /// A call failed in the end.
    case callFailed(code: SecretStoreErrorCode)
    /// An outcome that was not told was found by looking.
    case outcomeFound
    /// The watch of changes was interrupted and goes on where it was.
    case watchInterrupted(node: EtcdEndpoint, code: SecretStoreErrorCode)
    /// Changes since the watch was interrupted are not kept any more: every listener was signalled.
    case watchCompacted
}
