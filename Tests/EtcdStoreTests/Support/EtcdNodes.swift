#if EtcdStore
import EtcdStore
import Foundation
import PortcullisCore
import PortcullisTesting
import ProcessEnd
import Synchronization
import Testing

/// Three nodes of one cluster on this machine, on free ports, with their data in a folder of their own.
///
/// `PORTCULLIS_ETCD` names another `etcd` than that of the path, such as one of another version.
final class EtcdNodes: Sendable {
    /// Where etcd is; `nil` where it is not installed.
    static let program: String? = {
        let named = ProcessInfo.processInfo.environment["PORTCULLIS_ETCD"]
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let candidates = named.map { [$0] } ?? places.map { "\($0)/etcd" }
        let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
        if found == nil {
            let what =
                "NOT TESTED: the store on etcd, because there is no etcd here (apt-get install etcd-server)\n"
            FileHandle.standardError.write(Data(what.utf8))
        }
        return found
    }()

    static var isInstalled: Bool { program != nil }

    private struct Node {
        var process: Process?
        let client: Int
        let peer: Int
    }

    /// The running nodes of all clusters. The cluster that tests share lives until the process exits, which ends no node.
    private static let running = Mutex<[pid_t: URL]>([:])
    private static let sweepsAtExit: Bool =
        atexit {
            EtcdNodes.running.withLock { nodes in
                for (node, folder) in nodes {
                    _ = Foundation.kill(node, SIGKILL)
                    try? FileManager.default.removeItem(at: folder)
                }
            }
        } == 0

    let folder: URL
    private let scheme: String
    private let flags: [String]
    private let nodes: Mutex<[Node]>

    /// Starts them, and returns when they have a leader.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - scheme: `https` with certificates in the flags.
    ///   - flags: more of each node's flags.
    init(_ count: Int = 3, scheme: String = "http", flags: [String] = []) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "etcd-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        (self.scheme, self.flags) = (scheme, flags)
        let ports = try Self.freePorts(2 * count)
        nodes = Mutex((0..<count).map { Node(process: nil, client: ports[2 * $0], peer: ports[2 * $0 + 1]) })
        for index in 0..<count { try start(index) }
    }

    deinit {
        for index in nodes.withLock({ $0.indices }) { kill(index) }
        try? FileManager.default.removeItem(at: folder)
    }

    var endpoints: [EtcdEndpoint] {
        nodes.withLock { nodes in
            nodes.map { EtcdEndpoint(host: "127.0.0.1", port: $0.client, isSecure: scheme == "https") }
        }
    }

    func data(_ index: Int) -> URL { folder.appending(path: "n\(index)") }

    /// Starts a node, also one that was killed.
    ///
    /// - Parameter isNew: whether the node joins a cluster that exists already, and has no data.
    func start(_ index: Int, isNew: Bool = false) throws {
        let program = try #require(Self.program)
        let all = nodes.withLock { $0 }
        let members = all.indices.map { "n\($0)=http://127.0.0.1:\(all[$0].peer)" }.joined(separator: ",")
        let process = Process()
        process.executableURL = URL(filePath: program)
        let client = "\(scheme)://127.0.0.1:\(all[index].client)"
        process.arguments =
            [
                "--name", "n\(index)", "--data-dir", data(index).path,
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", "http://127.0.0.1:\(all[index].peer)",
                "--initial-advertise-peer-urls", "http://127.0.0.1:\(all[index].peer)",
                "--initial-cluster", members, "--initial-cluster-token", folder.lastPathComponent,
                "--initial-cluster-state", isNew ? "existing" : "new",
                "--log-level", "error", "--logger", "zap",
            ] + flags
        let log = folder.appending(path: "n\(index).log")
        try Data().write(to: log)
        let file = try FileHandle(forWritingTo: log)
        (process.standardOutput, process.standardError) = (file, file)
        #expect(Self.sweepsAtExit)
        try process.run()
        Self.running.withLock { $0[process.processIdentifier] = folder }
        nodes.withLock { $0[index].process = process }
    }

    /// Replaces a member of the cluster by a new one without data, on the same ports.
    func replace(_ index: Int) async throws {
        kill(index)
        let others = indices.filter { $0 != index }.map { endpoints[$0] }
        let (name, peers) = ("n\(index)", "http://127.0.0.1:\(nodes.withLock { $0[index].peer })")
        func members() throws -> [[String]] {
            // Each line is: id, state, name, addresses of peers, addresses of clients, and whether it is a learner.
            try control(["member", "list"], endpoints: others).split(separator: "\n")
                .map { $0.components(separatedBy: ", ") }
        }
        // Without a leader, and for some seconds after an election, the cluster refuses both.
        try await BoundedWait.until("\(name) is removed", every: .milliseconds(200)) {
            let found = try members()
            guard let old = found.first(where: { $0.dropFirst(3).first == peers }) else {
                return !found.isEmpty
            }
            try control(["member", "remove", old[0]], endpoints: others)
            return false
        }
        try FileManager.default.removeItem(at: data(index))
        try await BoundedWait.until("\(name) is added", every: .milliseconds(200)) {
            if try members().contains(where: { $0.dropFirst(3).first == peers }) { return true }
            try control(["member", "add", name, "--peer-urls", peers], endpoints: others)
            return false
        }
        try start(index, isNew: true)
    }

    private func process(_ index: Int) -> Process? { nodes.withLock { $0[index].process } }

    /// Ends a node at once.
    func kill(_ index: Int) {
        guard let process = process(index), process.isRunning else { return }
        Self.running.withLock { $0[process.processIdentifier] = nil }
        process.killAndWait()
    }

    /// Holds a node up, or lets it go on.
    func hold(_ index: Int, _ isHeld: Bool = true) {
        guard let process = process(index) else { return }
        Foundation.kill(process.processIdentifier, isHeld ? SIGSTOP : SIGCONT)
    }

    /// Which node leads.
    func leader() throws -> Int {
        for (index, endpoint) in endpoints.enumerated() {
            let line = try control(["endpoint", "status", "-w", "fields"], endpoints: [endpoint])
            let fields = Dictionary(
                line.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
                    .map { (String($0[0]), $0.last?.trimmingCharacters(in: .whitespaces) ?? "") },
                uniquingKeysWith: { first, _ in first }
            )
            if let leader = fields["\"Leader\" "], leader == fields["\"MemberID\" "] { return index }
        }
        throw SecretStoreError(code: .unavailable, message: "no node leads")
    }

    var indices: Range<Int> { nodes.withLock { $0.indices } }

    /// A store on them.
    func store(
        prefix: String = "t\(UUID())/",
        tls: EtcdConfiguration.TLS = .init(),
        login: EtcdConfiguration.Login? = nil,
        endpoints: [EtcdEndpoint]? = nil,
        deadline: Duration = .seconds(20),
        attemptTimeout: Duration = .milliseconds(700),
        onEvent: @escaping @Sendable (EtcdEvent) -> Void = { _ in }
    ) async throws -> EtcdStore {
        try await EtcdStore.open(
            EtcdConfiguration(
                endpoints: endpoints ?? self.endpoints,
                tls: tls,
                login: login,
                prefix: prefix,
                deadline: deadline,
                attemptTimeout: attemptTimeout,
                onEvent: onEvent
            )
        )
    }

    /// Runs etcdctl, and returns what it prints.
    @discardableResult
    func control(_ arguments: [String], endpoints: [EtcdEndpoint]? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let nodes = (endpoints ?? self.endpoints).map { "\($0)" }.joined(separator: ",")
        process.arguments = ["ETCDCTL_API=3", "etcdctl", "--endpoints", nodes] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    /// Ports that nothing listens on; all are held until all are known.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { for descriptor in sockets { close(descriptor) } }
        return try (0..<count).map { _ in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(descriptor, pointer, size) == 0
                        && getsockname(descriptor, pointer, &size) == 0
                }
            }
            try #require(isBound)
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
}

/// One cluster for all tests that leave it as it was; it ends with the process.
enum SharedNodes {
    private static let starting = Task { try await EtcdNodes() }

    static var nodes: EtcdNodes { get async throws { try await starting.value } }
}

extension SecretStore {
    func put(_ text: String, at name: SecretName) async throws {
        _ = try await write(SecretBytes(copying: text.utf8), to: name, accessibility: .afterFirstUnlock)
    }

    func text(at name: SecretName) async throws -> String? {
        try await read(name).map { item in
            item.value.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        }
    }
}
#endif
