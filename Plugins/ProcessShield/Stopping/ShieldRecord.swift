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

/// A process group that cannot be taken for a later one with the same number.
///
/// The kernel gives a group's number to no other group while the group has a member, even another one than before.
struct ProcessGroup: Hashable, Sendable, Codable {
    var number: Int32
    var session: Int32
    /// The start of the process that has the group's number; `nil` when that one had ended.
    var leader: UInt64?

    /// Whether a signal to this number reaches this group and no other process: 0 is the sender's own, which is also how a
    /// group outside of this process's namespace looks, and 1 everybody.
    var hasNumber: Bool { number > 1 }
}

/// A process that the shield has stopped, or is about to.
struct StoppedProcess: Hashable, Sendable, Codable {
    var identity: RunningProcess.Identity
    /// Its process group, all of which was stopped with it; `nil` when it was stopped alone.
    var group: ProcessGroup?
    /// The control group that was frozen for it; `nil` when it was stopped by a signal.
    var scope: String?
}

/// A process that looks after the shields.
struct ShieldKeeper: Hashable, Sendable, Codable {
    var identity: RunningProcess.Identity
    /// Whether it denies starts; otherwise it stops what started.
    var denies: Bool
}

/// What has to outlive the process that shields: which shields are up, and what was stopped for them.
struct ShieldRecord: Hashable, Sendable, Codable {
    var version = 1
    /// Process numbers and start times mean nothing in another boot.
    var boot: String
    var shields: [String: ShieldSelection] = [:]
    var stopped: Set<StoppedProcess> = []
    /// Who looks after the shields: from it ``ProcessShield/report()`` of another process tells whether starts are denied,
    /// stopped, or not attended to. Nothing is ever decided by it, so a record without it is as good.
    var keepers: Set<ShieldKeeper> = []

    /// The shields by name.
    var applied: [ShieldName: ShieldSelection] {
        Dictionary(uniqueKeysWithValues: shields.map { (ShieldName($0.key), $0.value) })
    }

    /// All that any shield names.
    var union: ShieldSelection {
        shields.values.reduce(into: ShieldSelection()) { all, selection in
            all.apps.formUnion(selection.apps)
            all.categories.formUnion(selection.categories)
        }
    }
}

/// Keeps a ``ShieldRecord`` as one item of a secret store.
///
/// Changes are made to what is there: another process, such as the one that releases by force, may have changed it.
struct ShieldRecordStore: Sendable {
    let boot: String
    private let store: any SecretStore
    private let namespace: SecretNamespace
    private let item: StoredValue<ShieldRecord, ShieldError>

    init(store: any SecretStore, namespace: SecretNamespace, boot: String) {
        (self.store, self.namespace, self.boot) = (store, namespace, boot)
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
    /// The record of a shield of this boot.
    init(store: any SecretStore, configuration: ProcessShieldConfiguration) {
        let path = "\(configuration.processFolder)/sys/kernel/random/boot_id"
        // Without a boot id nothing that was recorded is taken for a process of today.
        let boot = SmallFiles.read(path).map { String(decoding: $0, as: UTF8.self) }
        self.init(store: store, namespace: ProcessShield.namespace, boot: boot ?? "none of \(getpid())")
    }
    #endif

    /// Whether the store tells of what other processes change.
    var hearsOthers: Bool { store.capabilities.contains(.signalsOtherProcesses) }

    /// Signals after changes by any process, as far as the store can tell.
    func signals() -> AsyncStream<Void> { store.changes(in: namespace) }

    /// Reads the record; an item that is not there is an empty one.
    func read() async throws(ShieldError) -> ShieldRecord { ofThisBoot(try await item.read()?.value) }

    /// Changes the record, and returns it as it is then.
    func change(_ body: @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) -> ShieldRecord {
        try await item.update { found throws(ShieldError) -> StoredValue<ShieldRecord, ShieldError>.Change in
            let old = ofThisBoot(found)
            var record = old
            body(&record)
            return record == old ? .keep(record) : .write(record, record)
        }
        .answer
    }

    /// Without the processes of an earlier boot, whose numbers are others' now.
    private func ofThisBoot(_ found: ShieldRecord?) -> ShieldRecord {
        guard var record = found, record.boot != boot else { return found ?? ShieldRecord(boot: boot) }
        record.boot = boot
        record.stopped = []
        record.keepers = []
        return record
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
        shields = try values.decode([String: ShieldSelection].self, forKey: .shields)
        stopped = try values.decode(Set<StoppedProcess>.self, forKey: .stopped)
        // Versions from before there were any did not write them.
        keepers = try values.decodeIfPresent(Set<ShieldKeeper>.self, forKey: .keepers) ?? []
    }
}
