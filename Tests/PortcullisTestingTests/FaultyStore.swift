import PortcullisCore
import PortcullisTesting
import Synchronization

/// A store, right but for one fault.
final class FaultyStore: TransactionalSecretStore, CustomStringConvertible {
    /// What the openings of one store share.
    final class Place: Sendable {
        struct State {
            var damaged: Set<SecretName> = []
            var items: [[UInt8]: (name: SecretName, stored: StoredSecret)] = [:]
            var ghosts: [SecretName] = []
            var lastVersion: UInt64 = 0
            var ownVersions: [SecretName: UInt64] = [:]
            var openings = 0
            var shown = ""
            var listeners: [Listener] = []
        }
        let state = Mutex(State())
        /// What lies outside of every place.
        let outside: Outside
        /// Closed while something holds the store up.
        let gate = Gate()

        init(_ outside: Outside = Outside()) { self.outside = outside }
    }

    /// What a store that leaves its place can reach.
    final class Outside: Sendable { let items = Mutex<[[UInt8]: StoredSecret]>([:]) }

    struct Listener {
        let opening: Int
        let space: SecretNamespace
        let isOfItem: Bool
        let end: AsyncStream<Void>.Continuation
    }

    let place: Place
    let fault: Fault
    private let opening: Int
    private let snapshot = Mutex<[[UInt8]: StoredSecret]>([:])
    let isLocked = Mutex(false)

    init(_ place: Place, _ fault: Fault) {
        self.place = place
        self.fault = fault
        self.opening = place.state.withLock { state in
            state.openings += 1
            guard state.openings > 1 else { return 1 }
            if fault == .forgetsOnReopening { state.items = [:] }
            if fault == .resetsVersionsOnReopening { state.lastVersion = 0 }
            return state.openings
        }
    }

    func lock() { isLocked.withLock { $0 = true } }
    func unlock() { isLocked.withLock { $0 = false } }

    var description: String { fault == .showsValues ? place.state.withLock { $0.shown } : "FaultyStore" }

    var capabilities: SecretStoreCapabilities {
        fault == .claimsSilence
            ? [.isShared] : [.signalsOwnChanges, .signalsOtherProcesses, .isShared, .isDurable]
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        if fault == .staleOpening, let known = snapshot.withLock({ $0[key(name)] }) { return known }
        await wait(blocking: fault == .readsBlock)
        if isDamaged(name) {
            if fault == .damageIsAbsent { return nil }
            guard fault == .damageIsRead else { throw damage(of: name) }
        }
        guard let stored = place.state.withLock({ $0.items[key(name)]?.stored }) else {
            if fault == .leavesPlace, let found = place.outside.items.withLock({ $0[key(name)] }) {
                return found
            }
            guard fault == .absentIsEmpty else { return nil }
            let empty = SecretBytes(copying: [])
            return StoredSecret(value: empty, version: SecretVersion(0), accessibility: .afterFirstUnlock)
        }
        let isOutOfReach = stored.accessibility.availability == .whenUnlocked && isLocked.withLock { $0 }
        if isOutOfReach, fault != .readsLocked {
            throw SecretStoreError(code: .classLocked, message: "locked")
        }
        if fault == .staleOpening { snapshot.withLock { $0[key(name)] = stored } }
        guard fault == .namesOldVersions else { return stored }
        return StoredSecret(
            value: stored.value,
            version: SecretVersion(stored.version.rawValue - 1),
            accessibility: stored.accessibility
        )
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        if fault == .refusesLongNames, name.name.utf8.count > 255 {
            throw SecretStoreError(code: .invalidName, message: "file name too long")
        }
        await wait(blocking: fault == .writesBlock)
        try refuseDamaged(name, if: .damageIsKept)
        if fault == .damageTakesOthers, precondition == .none { beginAnewIfDamaged() }
        let change = SecretChange.write(value, to: name, accessibility: accessibility, if: precondition)
        switch try await commit([change]) {
        case .committed(let versions):
            if fault == .cancelDenies, Task.isCancelled {
                throw SecretStoreError(code: .systemFailure, message: "cancelled")
            }
            return .written(versions[0] ?? SecretVersion(0))
        case .conflict(let current):
            return .conflict(current: fault == .hidesCurrent ? nil : current[name] ?? nil)
        }
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        if fault == .removeSwallows { return .removed }
        try refuseDamaged(name, if: .damageIsNotRemoved)
        let wasThere = place.state.withLock { $0.items[key(name)] != nil }
        if fault == .removesTwice {
            await leaveGap()
            _ = place.state.withLock { apply(.remove(name, if: .none), to: &$0) }
            return wasThere ? .removed : .absent
        }
        let condition = fault == .removeIgnoresVersion ? WritePrecondition.none : precondition
        let end = place.state.withLock { state -> RemoveOutcome in
            if let current = conflict(name, condition, in: state) { return .conflict(current: current) }
            return apply(.remove(name, if: condition), to: &state).removed ? .removed : .absent
        }
        signal(name.namespace, unheard: .itemDeafToRemovals)
        return end
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        place.state.withLock { state in
            var names = (state.items.values.map(\.name) + state.ghosts).filter {
                lists($0.namespace, in: namespace)
            }
            if fault == .damageIsUnlisted { names.removeAll { state.damaged.contains($0) } }
            return fault == .unsortedNames ? names.sorted().reversed() : names.sorted()
        }
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        stream(in: namespace, isOfItem: false)
    }

    func changes(to name: SecretName) -> AsyncStream<Void> { stream(in: name.namespace, isOfItem: true) }

    private func stream(in namespace: SecretNamespace, isOfItem: Bool) -> AsyncStream<Void> {
        let policy: AsyncStream<Void>.Continuation.BufferingPolicy =
            fault == .countsSignals ? .unbounded : .bufferingNewest(1)
        let (stream, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: policy)
        let listener = Listener(opening: opening, space: namespace, isOfItem: isOfItem, end: end)
        place.state.withLock { $0.listeners.append(listener) }
        if fault == .signalsEarly { end.yield() }
        return stream
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        guard Set(changes.map(\.name)).count == changes.count || fault == .takesDuplicates else {
            throw SecretStoreError(code: .invalidName, message: "twice")
        }
        let hasGap = changes.contains { change in
            switch (change.precondition, fault) {
            case (.version, .losesUpdates), (.absent, .createsTwice): true
            default: false
            }
        }
        if hasGap {
            let isInVain = place.state.withLock { !conflicts(of: changes, in: $0).isEmpty }
            if !isInVain { await leaveGap() }
        }
        if fault == .tears, case .write(let value, let name, let accessibility, _) = changes.first {
            await tear(value, name, accessibility)
        }
        if fault == .batchInSteps, changes.count > 1 {
            var versions: [SecretVersion?] = []
            for change in changes {
                versions.append(place.state.withLock { apply(change, to: &$0).version })
                await leaveGap()
            }
            return .committed(versions)
        }
        let end = place.state.withLock { state -> CommitOutcome in
            var conflicts = hasGap ? [:] : conflicts(of: changes, in: state)
            if fault == .reportsOneConflict, conflicts.count > 1, let one = conflicts.first {
                conflicts = [one.key: one.value]
            }
            if fault == .tornBatch, changes.count > 1 {
                for change in changes where conflicts[change.name] == nil { _ = apply(change, to: &state) }
            }
            if fault == .conflictWrites, !conflicts.isEmpty { _ = apply(changes[0], to: &state) }
            guard conflicts.isEmpty else { return .conflict(conflicts) }
            let versions = changes.map { apply($0, to: &state).version }
            return .committed(fault == .batchOrder ? versions.sorted { $0 == nil && $1 != nil } : versions)
        }
        if case .committed = end {
            for change in changes { signal(change.name.namespace, unheard: .itemDeafToBatches) }
        }
        return end
    }
}

extension FaultyStore {
    func key(_ name: SecretName) -> [UInt8] {
        let (space, text) = (Array(name.namespace.rawValue.utf8), Array(name.name.utf8))
        let plain = space + [0] + text
        return switch fault {
        case .joinsNames: Array("\(name)".utf8)
        case .shortensNames: space + [0] + text.prefix(255)
        case .shortensNamespaces: space.prefix(64) + [0] + text
        case .foldsNamespaces: Array(name.namespace.rawValue.lowercased().utf8) + [0] + text
        case .trimsNames: space + [0] + text.drop { $0 == UInt8(ascii: " ") }
        case .followsDots: space + [0] + Self.followingDots(name.name)
        // Enough of a normalisation to take both forms of an accented letter for one.
        case .normalises: plain.filter { $0 < 0x80 && $0 != UInt8(ascii: "e") }
        default: plain
        }
    }

    /// As a path is read.
    private static func followingDots(_ path: String) -> [UInt8] {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return Array(parts.joined(separator: "/").utf8)
    }

    private func lists(_ namespace: SecretNamespace, in asked: SecretNamespace) -> Bool {
        switch fault {
        case .listsBelow: namespace.rawValue.hasPrefix(asked.rawValue)
        case .listsPatterns: namespace == asked || ["*", "%"].contains(asked.rawValue)
        default: namespace == asked
        }
    }

    /// Waits while the store is held up.
    private func wait(blocking: Bool) async {
        guard blocking else { return _ = await place.gate.pass() }
        while place.gate.isClosed { Threads.sleep(microseconds: 1_000) }
    }

    func leaveGap() async { for _ in 0..<20 { await Task.yield() } }

    private func conflict(
        _ name: SecretName,
        _ precondition: WritePrecondition,
        in state: Place.State
    ) -> SecretVersion?? {
        let current = state.items[key(name)]?.stored.version
        return switch precondition {
        case .none: fault == .refusesOverwriting && current != nil ? .some(current) : nil
        case .absent where fault == .damageIsFree && state.damaged.contains(name): nil
        case .absent: current == nil || fault == .ignoresAbsent ? nil : .some(current)
        case .version(let expected): current == expected || fault == .ignoresVersion ? nil : .some(current)
        }
    }

    private func conflicts(
        of changes: [SecretChange],
        in state: Place.State
    ) -> [SecretName: SecretVersion?] {
        var all: [SecretName: SecretVersion?] = [:]
        for change in changes {
            if let current = conflict(change.name, change.precondition, in: state) {
                all.updateValue(current, forKey: change.name)
            }
        }
        return all
    }

    private func apply(
        _ change: SecretChange,
        to state: inout Place.State
    ) -> (version: SecretVersion?, removed: Bool) {
        if fault == .dropsNeighbour, state.items.count > 6,
            let other = state.items.keys.first(where: { $0 != key(change.name) })
        {
            state.items[other] = nil
        }
        state.damaged.remove(change.name)
        switch change {
        case .write(let value, let name, let accessibility, _):
            state.lastVersion += 1
            state.ownVersions[name, default: 0] += 1
            let number = fault == .reusesVersions ? state.ownVersions[name, default: 0] : state.lastVersion
            if fault == .showsValues {
                state.shown += value.withBytes { span in
                    String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
                }
            }
            let stored = StoredSecret(
                value: spoilt(value),
                version: SecretVersion(number),
                accessibility: fault == .forgetsClass ? .afterFirstUnlock : accessibility
            )
            state.items[key(name)] = (name, stored)
            if name.namespace.rawValue.contains("..") {
                place.outside.items.withLock { $0[key(name)] = stored }
            }
            return (stored.version, false)
        case .remove(let name, _):
            state.ownVersions[name] = nil
            let wasThere = state.items.removeValue(forKey: key(name)) != nil
            if fault == .listsRemoved, wasThere { state.ghosts.append(name) }
            return (nil, wasThere)
        }
    }

    private func spoilt(_ value: SecretBytes) -> SecretBytes {
        switch fault {
        case .truncates where value.count > 4_096:
            value.withBytes { span in SecretBytes(copying: span.indices.prefix(4_096).map { span[$0] }) }
        case .masksBytes:
            value.withBytes { span in SecretBytes(copying: span.indices.map { span[$0] & 0x7F }) }
        default: value
        }
    }

    private func tear(_ value: SecretBytes, _ name: SecretName, _ accessibility: Accessibility) async {
        place.state.withLock { state in
            guard let old = state.items[key(name)]?.stored, old.value.count == value.count else { return }
            let mixed = old.value.withBytes { before in
                value.withBytes { after in
                    SecretBytes(copying: before.indices.map { $0 % 2 == 0 ? before[$0] : after[$0] })
                }
            }
            _ = apply(.write(mixed, to: name, accessibility: accessibility, if: .none), to: &state)
        }
        await leaveGap()
    }

    /// Signals a change, with this fault to no listener of an item.
    private func signal(_ namespace: SecretNamespace, unheard: Fault? = nil) {
        guard fault != .noSignal, fault != .signalsEarly else { return }
        let ends = place.state.withLock { state in
            state.listeners.filter { listener in
                if listener.isOfItem, fault == unheard { return false }
                let isDeaf = fault == .deafToOthers || listener.isOfItem && fault == .itemDeafToOthers
                return (listener.opening == opening || !isDeaf)
                    && (listener.space == namespace || fault == .signalsEveryone)
            }
        }
        for listener in ends { listener.end.yield() }
    }
}
