public import PortcullisCore

extension SecretStoreErrorCode {
    /// The cluster accepts no more requests at present; nothing was changed.
    public static let etcdOverloaded = Self("etcdStore.overloaded", like: .unreachable)
    /// The cluster has no leader at present; nothing was changed.
    public static let etcdNoLeader = Self("etcdStore.noLeader", like: .unreachable)
    /// No node could be reached; nothing was changed.
    public static let etcdUnreachable = Self("etcdStore.unreachable", like: .unreachable)
    /// No node answered in time; nothing was changed.
    public static let etcdSlow = Self("etcdStore.slow", like: .timedOut)
    /// The cluster's space is used up, and its alarm NOSPACE is raised; nothing was changed.
    public static let etcdNoSpace = Self("etcdStore.noSpace", like: .diskFull)
    /// The cluster refuses the user, the password or the token.
    public static let etcdWrongPassword = Self("etcdStore.wrongPassword", like: .notPermitted)
    /// The user has no permission for this call.
    public static let etcdForbidden = Self("etcdStore.forbidden", like: .notPermitted)
    /// A node reports that this client's certificate has expired. If a node's certificate has expired, the
    /// error is ``etcdCertificateRefused``, because the TLS library does not report why it refuses a
    /// certificate.
    public static let etcdCertificateExpired = Self("etcdStore.certificateExpired", like: .notPermitted)
    /// A certificate of the node or of the client is not accepted, or the certificate files cannot be used.
    public static let etcdCertificateRefused = Self("etcdStore.certificateRefused", like: .notPermitted)
    /// The node reports by its alarm CORRUPT that its data are damaged.
    public static let etcdCorrupt = Self("etcdStore.corrupt", like: .damaged)
    /// The requested revision was compacted, so the cluster no longer keeps it.
    public static let etcdCompacted = Self("etcdStore.compacted", like: .systemFailure)
    /// An endpoint's address cannot be understood.
    public static let etcdBadEndpoint = Self("etcdStore.badEndpoint", like: .unavailable)
}

extension SecretStoreError {
    /// The error for an answer whose form is not that of an etcd server's answer.
    static var etcdAnswerOfAnotherForm: SecretStoreError {
        SecretStoreError(code: .systemFailure, message: "the node's answer is of another form")
    }
}
