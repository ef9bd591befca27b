#if EtcdStore
import Foundation
import GRPCCore
import PortcullisCore
import SealingStore
import Synchronization
import Testing

@testable import EtcdStore

@Suite(
    "What goes wrong on a cluster is told by a code of its own (F-2)",
    .enabled(if: EtcdNodes.isInstalled, "etcd is not installed"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct EtcdErrorTests {
    private let name: SecretName

    init() throws { name = try SecretName("item", in: SecretNamespace("errors")) }

    private func code(_ work: () async throws -> Void) async -> SecretStoreErrorCode? {
        do { try await work() } catch { return (error as? SecretStoreError)?.code }
        return nil
    }

    @Test("F-2: an endpoint that nothing listens at is unreachable, by the deadline")
    func unreachable() async throws {
        let start = ContinuousClock.now
        let configuration = EtcdConfiguration(
            endpoints: [try EtcdEndpoint("http://127.0.0.1:1"), try EtcdEndpoint("http://127.0.0.1:2")],
            deadline: .seconds(2)
        )
        let code = await code { _ = try await EtcdStore.open(configuration) }
        #expect(code == .etcdUnreachable)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(
        "F-2: one connection lives through more quick calls than its HTTP/2 layer lets a server ping it for"
    )
    func manyCalls() async throws {
        let nodes = try await EtcdNodes(1)
        let failures = Mutex(0)
        let store = try await nodes.store(attemptTimeout: .seconds(20)) { _ in failures.withLock { $0 += 1 } }
        try await store.put("1", at: name)
        let before = failures.withLock { $0 }
        for _ in 0..<600 { _ = try await store.read(name) }
        #expect(failures.withLock { $0 } == before)
        withExtendedLifetime(nodes) {}
    }

    @Test("F-2: a wrong password is told as such, a right one opens, and a token that ended is fetched anew")
    func passwords() async throws {
        let nodes = try await EtcdNodes(1, flags: ["--auth-token", "simple", "--auth-token-ttl", "2"])
        for arguments in [
            ["user", "add", "root:right"], ["user", "grant-role", "root", "root"], ["auth", "enable"],
        ] { try nodes.control(arguments) }
        func login(_ password: String) -> EtcdConfiguration.Login {
            .init(user: "root", password: SecretBytes(copying: password.utf8))
        }
        #expect(await code { _ = try await nodes.store(login: login("wrong")) } == .etcdWrongPassword)
        #expect(await code { _ = try await nodes.store() } == .etcdWrongPassword)
        let store = try await nodes.store(login: login("right"))
        try await store.put("1", at: name)
        try await Task.sleep(for: .seconds(4))
        #expect(try await store.text(at: name) == "1")
        try await store.put("2", at: name)
    }

    @Test("F-2: space that is used up is told as such, reading goes on, and room is used again")
    func space() async throws {
        let nodes = try await EtcdNodes(1, flags: ["--quota-backend-bytes", "\(2 << 20)"])
        let store = try await nodes.store()
        try await store.put("kept", at: name)
        let value = SecretBytes(copying: [UInt8](repeating: 7, count: 500_000))
        let other = try SecretName("filler", in: name.namespace)
        var found: SecretStoreErrorCode?
        for _ in 0..<20 where found == nil {
            found = await code {
                _ = try await store.write(value, to: other, accessibility: .afterFirstUnlock)
            }
        }
        #expect(found == .etcdNoSpace)
        #expect(found?.portable == .diskFull)
        #expect(try await store.text(at: name) == "kept")
        let status = await store.status()
        #expect(status.values.first?.alarms == ["NOSPACE"])
        try nodes.control(["compact", "\(store.cluster.revision)"])
        try nodes.control(["defrag"])
        try nodes.control(["alarm", "disarm"])
        try await store.put("again", at: name)
    }

    @Test("F-2: of the changes that are under way when the space ends, none that was refused was made")
    func spaceEnds() async throws {
        let nodes = try await EtcdNodes(1, flags: ["--quota-backend-bytes", "\(8 << 20)"])
        // A call that is sent again is unsettled, whatever the last answer is.
        let store = try await nodes.store(deadline: .seconds(60), attemptTimeout: .seconds(30))
        var names: [SecretName] = []
        var codes: [SecretName: SecretStoreErrorCode] = [:]
        for round in 0..<20 where codes.isEmpty {
            let more = try (0..<24).map { try SecretName("\(round) \($0)", in: name.namespace) }
            names += more
            await withTaskGroup(of: (SecretName, SecretStoreErrorCode?).self) { group in
                for name in more {
                    group.addTask {
                        let found = await code {
                            let value = SecretBytes(randomCount: 300_000)
                            _ = try await store.write(value, to: name, accessibility: .afterFirstUnlock)
                        }
                        return (name, found)
                    }
                }
                for await (name, code) in group { codes[name] = code }
            }
        }
        #expect(codes.values.contains(.etcdNoSpace))
        for name in names {
            let isThere = try await store.read(name) != nil
            switch codes[name] {
            case nil: #expect(isThere)
            case .etcdNoSpace?: #expect(!isThere, "\(name)")
            case let other?: #expect(other.portable == .outcomeUnknown, "\(other)")
            }
        }
    }

    @Test("F-2: what is larger than the cluster takes is told as such at once, and changes nothing")
    func tooLarge() async throws {
        let nodes = try await EtcdNodes(1)
        let failures = Mutex(0)
        let store = try await nodes.store(attemptTimeout: .seconds(20)) { event in
            if case .attemptFailed = event { failures.withLock { $0 += 1 } }
        }
        try await store.put("kept", at: name)
        let before = failures.withLock { $0 }
        for size in [1_700_000, 3_000_000] {
            let found = await code {
                let value = SecretBytes(copying: [UInt8](repeating: 7, count: size))
                _ = try await store.write(value, to: name, accessibility: .afterFirstUnlock)
            }
            #expect(found == .tooLarge, "\(size)")
        }
        let found = await code {
            let value = SecretBytes(copying: [UInt8](repeating: 7, count: 1_000_000))
            _ = try await store.commit(
                try (0..<3).map { number in
                    let name = try SecretName("\(number)", in: name.namespace)
                    return .write(value, to: name, accessibility: .afterFirstUnlock, if: .none)
                }
            )
        }
        #expect(found == .tooLarge)
        #expect(failures.withLock { $0 } == before + 3)
        #expect(try await store.names(in: name.namespace) == [name])
        #expect(try await store.text(at: name) == "kept")
    }

    @Test(
        "F-2: certificates: a right one opens; an expired or foreign one is told as such",
        .enabled(if: Certificates.isPossible, "openssl is not installed")
    )
    func certificates() async throws {
        let certificates = try Certificates()
        let foreign = try Certificates()
        defer {
            certificates.remove()
            foreign.remove()
        }
        for name in ["node", "client"] { try certificates.make(name) }
        try certificates.make("old", isExpired: true)
        try foreign.make("client")
        func nodes(_ name: String) async throws -> EtcdNodes {
            try await EtcdNodes(
                1,
                scheme: "https",
                flags: [
                    "--cert-file", certificates.path("\(name).pem"), "--key-file",
                    certificates.path("\(name).key"), "--client-cert-auth", "--trusted-ca-file",
                    certificates.authority,
                ]
            )
        }
        func open(_ nodes: EtcdNodes, _ client: String, of own: Certificates, trusting: Certificates) async
            -> SecretStoreErrorCode?
        {
            await code {
                let store = try await nodes.store(
                    tls: .init(
                        authorities: trusting.authority,
                        certificate: own.path("\(client).pem"),
                        key: own.path("\(client).key")
                    ),
                    deadline: .seconds(4)
                )
                try await store.put("1", at: name)
            }
        }
        let good = try await nodes("node")
        // Until it listens.
        for _ in 0..<50 {
            if await open(good, "client", of: certificates, trusting: certificates) == nil { break }
        }
        #expect(await open(good, "client", of: certificates, trusting: certificates) == nil)
        #expect(await open(good, "client", of: certificates, trusting: foreign) == .etcdCertificateRefused)
        let expired = await open(good, "old", of: certificates, trusting: certificates)
        #expect(
            expired == .etcdCertificateExpired || expired == .etcdCertificateRefused,
            "\(String(describing: expired))"
        )
        let other = await open(good, "client", of: foreign, trusting: certificates)
        #expect(other == .etcdCertificateRefused, "\(String(describing: other))")
        let old = try await nodes("old")
        try await Task.sleep(for: .seconds(2))
        #expect(
            await open(old, "client", of: certificates, trusting: certificates) == .etcdCertificateRefused
        )
    }

    @Test("F-1: etcd's own files hold no namespace, name or value in the clear")
    func files() async throws {
        let nodes = try await EtcdNodes(1)
        let cluster = try await nodes.store()
        let store = try await SealingStore.open(
            over: cluster,
            under: [SecretBytes(randomCount: 32)],
            creating: true
        )
        let name = try SecretName("a-name-to-find", in: SecretNamespace("a-place-to-find"))
        try await store.put("a value to find", at: name)
        try await store.put("a value to find", at: name)
        // In the clear for comparison.
        let plain = try SecretName("in-the-clear", in: SecretNamespace("test"))
        try await cluster.put("plain value", at: plain)
        // Into the file of the database, too.
        try await Task.sleep(for: .seconds(1))
        nodes.kill(0)
        var found: Set<String> = []
        let texts = ["a-name-to-find", "a-place-to-find", "a value to find", "in-the-clear", "plain value"]
        let files = FileManager.default.enumerator(at: nodes.data(0), includingPropertiesForKeys: nil)
        var count = 0
        while let file = files?.nextObject() as? URL {
            guard let bytes = try? Data(contentsOf: file) else { continue }
            count += 1
            for text in texts where bytes.range(of: Data(text.utf8)) != nil { found.insert(text) }
        }
        #expect(count >= 2)
        #expect(found == ["in-the-clear", "plain value"])
    }

    @Test(
        "F-2: what etcd says is told by its own code, and only what may have been made is unsettled",
        arguments: [
            (
                RPCError.Code.resourceExhausted, "etcdserver: too many requests",
                SecretStoreErrorCode.etcdOverloaded, false
            ),
            (.resourceExhausted, "etcdserver: mvcc: database space exceeded", .etcdNoSpace, false),
            (.invalidArgument, "etcdserver: request is too large", .tooLarge, false),
            (
                .resourceExhausted, "grpc: received message larger than max (3145790 vs. 2097152)", .tooLarge,
                false
            ),
            (
                .invalidArgument, "etcdserver: authentication failed, invalid user ID or password",
                .etcdWrongPassword, false
            ),
            (.unauthenticated, "etcdserver: invalid auth token", .etcdWrongPassword, false),
            (.permissionDenied, "etcdserver: permission denied", .etcdForbidden, false),
            (.outOfRange, "etcdserver: mvcc: required revision has been compacted", .etcdCompacted, false),
            (.dataLoss, "etcdserver: corrupt cluster", .etcdCorrupt, false),
            (.unavailable, "etcdserver: no leader", .etcdNoLeader, false),
            (.unavailable, "etcdserver: request timed out", .etcdNoLeader, true),
            (.unavailable, "etcdserver: leader changed", .etcdSlow, true),
            (.deadlineExceeded, "deadline", .etcdSlow, true),
            (.unavailable, "stream closed", .etcdSlow, true),
        ]
    )
    func codes(_ code: RPCError.Code, _ text: String, _ expected: SecretStoreErrorCode, _ mayBeMade: Bool) {
        let failure = AttemptFailure(RPCError(code: code, message: text), wasSent: true)
        #expect(failure.code == expected)
        #expect(failure.mayBeMade == mayBeMade)
        #expect(!AttemptFailure(RPCError(code: code, message: text), wasSent: false).mayBeMade)
    }

    @Test(
        "F-2: addresses of nodes are read strictly",
        arguments: [
            ("http://127.0.0.1:2379", "http://127.0.0.1:2379"),
            ("https://etcd-1.example", "https://etcd-1.example:2379"),
            ("https://[::1]:99/", "https://[::1]:99"), ("ftp://a", nil), ("http://", nil),
            ("http://a:b", nil),
            ("http://a:0", nil), ("http://a/b", nil), ("a:2379", nil), ("http://a b", nil),
            ("http://[::1", nil),
        ] as [(String, String?)]
    )
    func addresses(_ text: String, _ read: String?) {
        #expect((try? EtcdEndpoint(text))?.description == read)
    }
}
#endif
