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
/// The kernel gives a group's number to nobody else while the group has a member, whoever that is by then.
struct ProcessGroup: Hashable, Sendable, Codable {
    var number: Int32
    var session: Int32
    /// The start of the process that has the group's number; `nil` when that one had ended.
    var leader: UInt64?

    /// Whether a signal to this number reaches this group and nobody else: 0 is the sender's own, which is also how a
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
    /// stopped, or nobody's concern. Nothing is ever decided by it, so a record without it is as good.
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
    let store: any SecretStore
    let namespace: SecretNamespace
    let boot: String

    init(store: any SecretStore, namespace: SecretNamespace, boot: String) {
        self.store = store
        self.namespace = namespace
        self.boot = boot
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

    /// Reads the record; an item that is not there is an empty one.
    func read() async throws(ShieldError) -> (record: ShieldRecord, condition: WritePrecondition) {
        let item: StoredSecret?
        do throws(SecretStoreError) { item = try await store.read(name()) } catch { throw Self.failed(error) }
        guard let item else { return (ShieldRecord(boot: boot), .absent) }
        let bytes = item.value.withBytes { span in Data(span.indices.map { span[$0] }) }
        guard var record = try? JSONDecoder().decode(ShieldRecord.self, from: bytes), record.version == 1
        else {
            throw ShieldError(
                code: .stateUnreadable,
                message: "the record of the shields cannot be understood"
            )
        }
        if record.boot != boot {
            record.boot = boot
            record.stopped = []
            record.keepers = []
        }
        return (record, .version(item.version))
    }

    /// Signals after changes by anybody, as far as the store can tell.
    func signals() -> AsyncStream<Void> { store.changes(in: namespace) }

    /// Changes the record, and returns it as it is then.
    func change(_ body: @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) -> ShieldRecord {
        while true {
            let (old, condition) = try await read()
            var record = old
            body(&record)
            if record == old { return record }
            guard let bytes = try? JSONEncoder().encode(record) else {
                throw ShieldError(
                    code: .stateUnreadable,
                    message: "the record of the shields cannot be written"
                )
            }
            let outcome: WriteOutcome
            do throws(SecretStoreError) {
                outcome = try await store.write(
                    SecretBytes(copying: bytes),
                    to: name(),
                    accessibility: .afterFirstUnlockThisDeviceOnly,
                    if: condition
                )
            } catch { throw Self.failed(error) }
            // Somebody else was faster: what they wrote is the start of another try.
            if case .written = outcome { return record }
        }
    }

    private func name() throws(SecretStoreError) -> SecretName { try SecretName("state", in: namespace) }

    private static func failed(_ error: SecretStoreError) -> ShieldError {
        ShieldError(
            code: .stateUnreadable,
            message: "what the shields have stopped cannot be remembered",
            cause: error
        )
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
