internal import AdapterKit

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if os(Linux)
internal import Glibc
#endif
internal import PortcullisCore

/// Identifies a process group, even after the kernel has given its number to a new group.
///
/// The kernel gives a group's number to no other group while the group has a member, even if its first
/// members have ended.
struct ProcessGroup: Hashable, Sendable, Codable {
    var number: Int32
    var session: Int32
    /// The start time of the process that has the group's number; `nil` if that process had already ended.
    var leader: UInt64?

    /// Whether a signal to this number reaches this group and no other process. The number 0 means the
    /// sender's own group, and also stands for a group outside of this process's namespace. For the number 1,
    /// the signal would go to -1 and reach every process.
    var hasNumber: Bool { number > 1 }
}

/// A process that the shield has stopped or is about to stop.
struct StoppedProcess: Hashable, Sendable, Codable {
    var identity: RunningProcess.Identity
    /// The process group that was stopped as a whole; `nil` when the process was stopped alone.
    var group: ProcessGroup?
    /// The control group that was frozen; `nil` when the process was stopped by a signal.
    var scope: String?
    /// The apps for which the process was stopped, and the chosen categories that these apps were in; `nil`
    /// in a record of an earlier version of the format.
    var selection: ShieldSelection?
}

extension StoppedProcess {
    /// What was stopped, without the apps. Another process may renew the apps of an entry at any time.
    struct Key: Hashable, Sendable {
        var identity: RunningProcess.Identity
        var group: ProcessGroup?
        var scope: String?
    }

    var key: Key { Key(identity: identity, group: group, scope: scope) }

    /// Creates an entry for a process that is stopped for these apps.
    init(
        _ identity: RunningProcess.Identity,
        group: ProcessGroup? = nil,
        scope: String? = nil,
        for apps: ShieldSelection
    ) {
        self.init(identity: identity, group: group, scope: scope, selection: apps.isEmpty ? nil : apps)
    }
}

/// A process that looks after the shields.
struct ShieldKeeper: Hashable, Sendable, Codable {
    var identity: RunningProcess.Identity
    /// Whether the process denies starts. Otherwise the process stops programs after their start.
    var denies: Bool
}

/// The record of the shields and of the processes that were stopped for them. The record outlives the process
/// that looks after the shields.
struct ShieldRecord: Hashable, Sendable, Codable {
    var version = 1
    /// The id of the boot. Process numbers and start times are valid only within one boot. If the id cannot
    /// be read, a text that begins with `none of` is here.
    var boot: String
    var shields: [ShieldName: ShieldSelection] = [:]
    var stopped: Set<StoppedProcess> = []
    /// The processes that look after the shields. From this field, ``ProcessShield/report()`` learns whether
    /// such a process runs and whether it denies starts. A release also continues the keepers that are
    /// stopped. A record without the field is valid.
    var keepers: Set<ShieldKeeper> = []
    /// The namespace to which the process numbers in `stopped` and `keepers` belong; `nil` in a record of an
    /// earlier version of the format.
    var namespace: String?
    /// The stopped processes and keepers of other namespaces. For example, a container and its host may share
    /// a store. Only a process of the same namespace can find these processes by their numbers.
    var elsewhere: [String: Processes] = [:]

    /// The processes of one namespace.
    struct Processes: Hashable, Sendable, Codable {
        var stopped: Set<StoppedProcess>
        var keepers: Set<ShieldKeeper>
    }

    /// Returns the record as a process of the namespace `own` sees it. The processes of that namespace are in
    /// `stopped` and `keepers`, and all others are in `elsewhere`.
    func seen(from own: String) -> ShieldRecord {
        var record = self
        record.namespace = own
        guard let namespace, namespace != own else { return record }
        let there = Processes(stopped: stopped, keepers: keepers)
        record.elsewhere[namespace] = there.stopped.isEmpty && there.keepers.isEmpty ? nil : there
        let here = record.elsewhere.removeValue(forKey: own)
        (record.stopped, record.keepers) = (here?.stopped ?? [], here?.keepers ?? [])
        return record
    }

    /// The number of stopped processes of other namespaces.
    var stoppedElsewhere: Int { elsewhere.values.reduce(0) { $0 + $1.stopped.count } }

    /// Returns the entries that a later record does not contain. An entry whose apps were renewed is not
    /// returned.
    func lost(in later: ShieldRecord) -> Set<StoppedProcess> {
        let present = Set(later.stopped.map(\.key))
        return stopped.filter { !present.contains($0.key) }
    }

    /// Removes entries whose processes were continued or have ended. An entry is removed even if its apps
    /// were renewed meanwhile.
    mutating func forget(_ entries: Set<StoppedProcess>) {
        let keys = Set(entries.map(\.key))
        stopped = stopped.filter { !keys.contains($0.key) }
    }

    /// Adds entries that were removed. An entry that was added again meanwhile, perhaps with other apps,
    /// stays as it is.
    mutating func restore(_ entries: Set<StoppedProcess>) {
        let present = Set(stopped.map(\.key))
        stopped.formUnion(entries.filter { !present.contains($0.key) })
    }

    /// The apps and categories of all shields.
    var union: ShieldSelection {
        shields.values.reduce(into: ShieldSelection()) { $0.formUnion($1) }
    }
}

extension ShieldSelection {
    /// Adds the apps and categories of another selection.
    mutating func formUnion(_ other: ShieldSelection) {
        apps.formUnion(other.apps)
        categories.formUnion(other.categories)
    }
}

/// Keeps a ``ShieldRecord`` as one item of a secret store.
///
/// Each change applies to the stored record, because another process may have changed the record, for example
/// in a forced release.
struct ShieldRecordStore: Sendable {
    /// The beginning of the text that replaces the id of a boot if the id cannot be read.
    private static let unknownBoot = "none of "

    let boot: String
    /// The PID namespace of this process (pid_namespaces(7)); empty if it is unknown.
    let processes: String
    private let store: any SecretStore
    private let namespace: SecretNamespace
    private let item: StoredValue<ShieldRecord, ShieldError>

    init(store: any SecretStore, namespace: SecretNamespace, boot: String, processes: String = "") {
        (self.store, self.namespace, self.boot, self.processes) = (store, namespace, boot, processes)
        item = StoredValue(
            .library("state", in: namespace),
            in: store,
            coding: .init(
                encode: { record throws(ShieldError) in try record.encoded() },
                decode: { value throws(ShieldError) in try ShieldRecord(decoding: value) },
                failed: { error in
                    ShieldError(
                        code: .stateUnreadable,
                        message: "what the shields have stopped cannot be remembered",
                        cause: error
                    )
                }
            )
        )
    }

    #if os(Linux)
    /// Opens the record for this boot.
    init(store: any SecretStore, configuration: ProcessShieldConfiguration) {
        let path = "\(configuration.processFolder)/sys/kernel/random/boot_id"
        let boot = SmallFiles.read(path).map { String(decoding: $0, as: UTF8.self) }
        self.init(
            store: store,
            namespace: ProcessShield.namespace,
            boot: boot ?? "\(Self.unknownBoot)\(getpid())",
            processes: SmallFiles.link("\(configuration.processFolder)/self/ns/pid") ?? ""
        )
    }
    #endif

    /// Whether the store signals changes by other processes.
    var hearsOthers: Bool { store.capabilities.contains(.signalsOtherProcesses) }

    /// Returns a stream with a signal after each change that the store reports, made by this process or
    /// another one.
    func signals() -> AsyncStream<Void> { store.changes(in: namespace) }

    /// Reads the record. A missing item counts as an empty record.
    func read() async throws(ShieldError) -> ShieldRecord { current(try await item.read()?.value) }

    /// Changes the record, and returns the changed record.
    func change(_ body: @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) -> ShieldRecord {
        try await exchange(body).changed
    }

    /// The record in the store right before a change, and the changed record.
    typealias Exchange = (found: ShieldRecord, changed: ShieldRecord)

    /// Changes the record, and returns it as it was right before the change, and as it is now.
    func exchange(_ body: @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) -> Exchange {
        try await item.update {
            found throws(ShieldError) -> StoredValue<ShieldRecord, ShieldError>.Change<Exchange> in
            let old = current(found)
            var record = old
            body(&record)
            let exchange = (found: old, changed: record)
            return record == old ? .keep(exchange) : .write(record, exchange)
        }
        .answer
    }

    /// Returns the record as this process's namespace sees it. The processes of an earlier boot are removed,
    /// because their numbers belong to other processes now.
    ///
    /// If one of the two boot ids is unknown, the machine may not have restarted, and the processes may still
    /// be stopped. So they are kept. Before each signal, a process's number and start time are compared.
    /// But a group without a leader is known by its number and session alone, and a scope by its name alone.
    private func current(_ found: ShieldRecord?) -> ShieldRecord {
        var record = found ?? ShieldRecord(boot: boot)
        let isRestarted =
            record.boot != boot && ![record.boot, boot].contains { $0.hasPrefix(Self.unknownBoot) }
        record.boot = boot
        if isRestarted { (record.stopped, record.keepers, record.elsewhere) = ([], [], [:]) }
        return record.seen(from: processes)
    }
}

extension ShieldRecord {
    fileprivate init(decoding value: SecretBytes) throws(ShieldError) {
        let bytes = value.withBytes { span in Data(span.indices.map { span[$0] }) }
        guard let record = try? JSONDecoder().decode(ShieldRecord.self, from: bytes), record.version == 1
        else {
            throw ShieldError(
                code: .stateUnreadable,
                message: "the record of the shields cannot be understood"
            )
        }
        self = record
    }

    fileprivate func encoded() throws(ShieldError) -> SecretBytes {
        guard let bytes = try? JSONEncoder().encode(self) else {
            throw ShieldError(
                code: .stateUnreadable,
                message: "the record of the shields cannot be written"
            )
        }
        return SecretBytes(copying: bytes)
    }
}

extension ShieldRecord {
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        version = try values.decode(Int.self, forKey: .version)
        boot = try values.decode(String.self, forKey: .boot)
        if let named = try? values.decode([String: ShieldSelection].self, forKey: .shields) {
            // Earlier versions of the format have an object here. In an object, two names that differ only in
            // their Unicode form would be one member. So the present version has a list.
            shields = Dictionary(uniqueKeysWithValues: named.map { (ShieldName($0.key), $0.value) })
        } else {
            shields = try values.decode([ShieldName: ShieldSelection].self, forKey: .shields)
        }
        stopped = try values.decode(Set<StoppedProcess>.self, forKey: .stopped)
        // Earlier versions of the format do not contain keepers.
        keepers = try values.decodeIfPresent(Set<ShieldKeeper>.self, forKey: .keepers) ?? []
        // Earlier versions of the format contain neither `namespace` nor `elsewhere`.
        namespace = try values.decodeIfPresent(String.self, forKey: .namespace)
        elsewhere = try values.decodeIfPresent([String: Processes].self, forKey: .elsewhere) ?? [:]
    }
}
