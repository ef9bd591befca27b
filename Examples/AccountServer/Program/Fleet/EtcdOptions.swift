internal import AccountService
internal import ArgumentParser
internal import EtcdStore
internal import Foundation
internal import GcryptKeystore
internal import PortcullisCore
internal import SealingStore

/// The cluster that a fleet of servers shares.
struct EtcdOptions: ParsableArguments {
    @Option(
        help:
            "The nodes of an etcd cluster: addresses with commas between them, such as https://10.0.0.1:2379."
    )
    var etcd: String?

    @Option(help: "The key that everything in the cluster is sealed under; made while the cluster is empty.")
    var keyFile: String?

    @Option(help: "What the nodes' certificates are checked against.")
    var etcdCa: String?

    @Option(help: "This server's certificate for the nodes.")
    var etcdCert: String?

    @Option(help: "The key of that certificate.")
    var etcdKey: String?

    @Option(help: "The user to log in to the cluster as.")
    var etcdUser: String?

    @Option(help: "A file with that user's password in its first line.")
    var etcdPasswordFile: String?

    @Option(help: "What all keys in the cluster begin with.")
    var etcdPrefix = "portcullis/"

    @Option(
        help:
            "A file that remembers what was seen, so that older values are noticed after a restart too. One server at a time has it."
    )
    var anchor: String?

    @Option(
        help: "The name of this server among those of the fleet. (default: host name and a random number)"
    )
    var replica: String?

    @Option(
        help: "How many seconds a server's clock may be from the median of the fleet's, \(Self.differences)."
    )
    var clockDifference = 2

    /// The numbers of seconds that `--clock-difference` takes, for texts.
    private static var differences: String {
        let limits = ClockRule.limits
        return "\(limits.lowerBound.components.seconds) to \(limits.upperBound.components.seconds)"
    }

    func validate() throws {
        guard etcd != nil else {
            guard keyFile == nil, etcdCa == nil, etcdCert == nil, etcdKey == nil, etcdUser == nil,
                etcdPasswordFile == nil, anchor == nil, replica == nil
            else { throw ValidationError("--key-file and the options of the cluster need --etcd.") }
            return
        }
        _ = try endpoints
        guard keyFile != nil else { throw ValidationError("--etcd needs --key-file.") }
        guard (etcdCert == nil) == (etcdKey == nil) else {
            throw ValidationError("--etcd-cert and --etcd-key go together.")
        }
        guard (etcdUser == nil) == (etcdPasswordFile == nil) else {
            throw ValidationError("--etcd-user and --etcd-password-file go together.")
        }
        guard ClockRule.limits.contains(.seconds(clockDifference)) else {
            throw ValidationError("--clock-difference takes \(Self.differences) seconds.")
        }
        guard (1...64).contains(replicaName.utf8.count),
            replicaName.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw ValidationError("--replica takes 1 to 64 printable characters of ASCII.") }
    }

    private var replicaName: String { replica ?? "replica" }

    /// Makes the name of this server. Without the option `--replica` the name is new with each start.
    func makeName() -> String {
        let host = ProcessInfo.processInfo.hostName.filter { $0.isASCII && !$0.isWhitespace }.prefix(40)
        return replica ?? "\(host)-\(UInt32.random(in: 0...UInt32.max))"
    }

    private var endpoints: [EtcdEndpoint] {
        get throws {
            do {
                return try (etcd ?? "").split(separator: ",", omittingEmptySubsequences: false).map {
                    try EtcdEndpoint(String($0))
                }
            } catch let error as SecretStoreError {
                throw ValidationError("--etcd: \(error.message)")
            }
        }
    }

    private var login: EtcdConfiguration.Login? {
        get throws {
            guard let etcdUser, let etcdPasswordFile else { return nil }
            let text = try String(contentsOf: URL(fileURLWithPath: etcdPasswordFile), encoding: .utf8)
            let line = text.split(whereSeparator: \.isNewline).first ?? ""
            return EtcdConfiguration.Login(user: etcdUser, password: SecretBytes(copying: line.utf8))
        }
    }

    /// Connects to the cluster, and opens the sealed store on it.
    func open(
        onEvent: @escaping @Sendable (EtcdEvent) -> Void
    ) async throws -> (cluster: EtcdStore, store: SealingStore<EtcdStore>) {
        let cluster = try await EtcdStore.open(
            EtcdConfiguration(
                endpoints: try endpoints,
                tls: .init(authorities: etcdCa, certificate: etcdCert, key: etcdKey),
                login: try login,
                prefix: etcdPrefix,
                onEvent: onEvent
            )
        )
        let store = try await SealingStore.open(
            over: cluster,
            keyIn: SealingKeyFile(path: keyFile ?? ""),
            anchor: anchor.map { FileAnchor(path: $0) },
            isEmpty: { () async throws(SecretStoreError) in try await cluster.isEmpty() }
        )
        return (cluster, store)
    }
}
