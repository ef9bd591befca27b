#if EtcdStore
internal import AdapterKit
internal import Foundation
public import PortcullisCore
internal import SwiftProtobuf

extension EtcdStore {
    /// Writes one item, if the precondition holds.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let change = SecretChange.write(value, to: name, accessibility: accessibility, if: precondition)
        switch try await commit([change]) {
        case .committed(let versions):
            guard let version = versions.first ?? nil else { preconditionFailure("a write has a version") }
            return .written(version)
        case .conflict(let current): return .conflict(current: current[name] ?? nil)
        }
    }

    /// Removes one item, if the precondition holds.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await cluster.carryThrough { [self] () async throws(SecretStoreError) in
            try await backOff.untilDecided { () async throws(SecretStoreError) -> RemoveOutcome? in
                let there = try await current(name, keysOnly: true).map {
                    SecretVersion(UInt64($0.modRevision))
                }
                guard precondition.holds(for: there) else { return .conflict(current: there) }
                guard let there else { return .absent }
                return try await isMade([.remove(name, if: .version(there))]) ? .removed : nil
            }
        }
    }

    private func isMade(_ changes: [SecretChange]) async throws(SecretStoreError) -> Bool {
        if case .committed = try await attempt(changes) { return true }
        return false
    }

    /// Makes all changes or none, in one transaction.
    ///
    /// - Throws: `tooLarge` if the batch has more changes or bytes than the cluster accepts (128 and 1.5 MiB
    ///   by default); the error of a failed call.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        guard Set(changes.map(\.name)).count == changes.count else {
            throw SecretStoreError(code: .invalidName, message: "a batch names an item twice")
        }
        guard !changes.isEmpty else { return .committed([]) }
        return try await cluster.carryThrough { [self] () async throws(SecretStoreError) in
            try await backOff.untilDecided { () async throws(SecretStoreError) -> CommitOutcome? in
                let outcome = try await attempt(try await settling(changes))
                guard case .conflict(var current) = outcome else { return outcome }
                // `settling` adds a precondition to each change that has none. An added precondition fails if
                // another client has changed the item meanwhile. This is no conflict for the caller. If only
                // added preconditions fail, the batch is tried again.
                for change in changes where change.precondition == .none { current[change.name] = nil }
                return current.isEmpty ? nil : .conflict(current)
            }
        }
    }

    /// Gives a precondition to each change that has none. The precondition is that the item still has its
    /// present version, or is still absent.
    ///
    /// If the answer to a transaction is lost, the transaction is sent again. An item that the first attempt
    /// has written or removed no longer meets its precondition. So the item is not changed twice.
    /// ``EtcdStore/EtcdStore`` describes the one exception.
    private func settling(_ changes: [SecretChange]) async throws(SecretStoreError) -> [SecretChange] {
        var settled: [SecretChange] = []
        for change in changes {
            guard change.precondition == .none else {
                settled.append(change)
                continue
            }
            let there = try await current(change.name, keysOnly: true)
            settled.append(change.under(there.map { SecretVersion(UInt64($0.modRevision)) }))
        }
        return settled
    }

    /// Makes one transaction. The transaction is sent until a node answers. All changes must have
    /// preconditions.
    private func attempt(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        let mark = Self.newMark()
        let start = cluster.revision
        let request = Etcdserverpb_TxnRequest.with {
            $0.compare = changes.map { condition($0) }
            $0.success = changes.map { operation($0, mark) }
            if isAllRemovals(changes) {
                $0.success += marked(changes, mark).map { key in .with { $0.requestPut = .put(mark, at: key) }
                }
            }
            $0.failure = changes.map { change in
                .with {
                    $0.requestRange = .with {
                        $0.key = keys.key(change.name)
                        $0.keysOnly = true
                    }
                }
            }
        }
        let (answer, isUnsettled): (Etcdserverpb_TxnResponse, Bool)
        do throws(SecretStoreError) { (answer, isUnsettled) = try await cluster.txn(request) } catch {
            guard error.code == .etcdNoSpace else { throw error }
            return try await outcome(of: changes, mark, since: start, refused: error)
        }
        if answer.succeeded {
            signals.send(Set(changes.map(\.name)))
            return committed(changes, at: answer.header.revision)
        }
        var conflicts: [SecretName: SecretVersion?] = [:]
        var wasBroken = false
        for (change, response) in zip(changes, answer.responses) {
            let found = response.responseRange.kvs.first?.modRevision
            let there = found.map { SecretVersion(UInt64($0)) }
            guard !change.precondition.holds(for: there) else { continue }
            conflicts.updateValue(there, forKey: change.name)
            // If the item's version is from before the first attempt, each attempt so far has found the
            // precondition broken. So no attempt has changed anything.
            if let found, found <= start { wasBroken = true }
        }
        if conflicts.isEmpty {
            // The node has refused the transaction, although its answer shows that all preconditions hold. So
            // the answer is wrong, and the node may have made the transaction. The transaction is not tried
            // again, because each further answer could be wrong in the same way.
            let cause = SecretStoreError.etcdAnswerOfAnotherForm
            throw SecretStoreError(code: .outcomeUnknown, message: cause.message, cause: cause)
        }
        if isUnsettled, !wasBroken, let found = try await outcome(of: changes, mark, since: start) {
            return found
        }
        return .conflict(conflicts)
    }

    private func committed(_ changes: [SecretChange], at revision: Int64) -> CommitOutcome {
        .committed(
            changes.map { change in
                switch change {
                case .write: SecretVersion(UInt64(revision))
                case .remove: nil
                }
            }
        )
    }

    /// Finds out whether a transaction was made. This is unknown after the error `etcdNoSpace`. It is also
    /// unknown if the answer to an attempt was lost and a later attempt found a precondition false.
    ///
    /// The mark of a transaction is 16 random bytes, which the transaction stores with the items that it
    /// writes. The cluster keeps an item's earlier revisions until they are compacted. The search reads an
    /// item's revisions back to the first attempt, and compares their marks with the transaction's mark.
    ///
    /// - Parameter start: a revision from before the first attempt.
    /// - Returns: `committed` if a revision has the transaction's mark; `nil` if the transaction was not
    ///   made, and will never be made.
    /// - Throws: `outcomeUnknown` if the kept revisions do not show whether the transaction was made, or if a
    ///   read of them fails.
    private func outcome(
        of changes: [SecretChange],
        _ mark: Data,
        since start: Int64
    ) async throws(SecretStoreError) -> CommitOutcome? {
        do throws(SecretStoreError) { return try await search(for: changes, mark, since: start) } catch {
            // The read's own error would tell the caller that nothing was changed. But the transaction may
            // have been made.
            throw SecretStoreError(code: .outcomeUnknown, message: error.message, cause: error)
        }
    }

    private func search(
        for changes: [SecretChange],
        _ mark: Data,
        since start: Int64
    ) async throws(SecretStoreError) -> CommitOutcome? {
        for key in marked(changes, mark) {
            guard var there = try await at(key) else { continue }
            for _ in 0..<Self.mostSteps {
                if there.value == mark || (try? ValueForm(there.value))?.mark == mark {
                    cluster.configuration.onEvent(.outcomeFound)
                    signals.send(Set(changes.map(\.name)))
                    return committed(changes, at: there.modRevision)
                }
                if there.modRevision <= start { return nil }
                guard let before = try await at(key, revision: there.modRevision - 1) else { break }
                there = before
            }
        }
        throw SecretStoreError(
            code: .outcomeUnknown,
            message: "a change was sent and not answered, and another client changed the item since"
        )
    }

    /// Finds out whether a transaction was made although the cluster answered that its space is used up.
    ///
    /// etcd compares the used space with its quota once more when it carries a transaction out. If the space
    /// is used up by then, etcd still makes the transaction, but answers with the error.
    ///
    /// - Throws: `error` if the transaction was not made, or if none of the keys for its mark exists now;
    ///   `outcomeUnknown` if it cannot be found out whether the transaction was made.
    private func outcome(
        of changes: [SecretChange],
        _ mark: Data,
        since start: Int64,
        refused error: SecretStoreError
    ) async throws(SecretStoreError) -> CommitOutcome {
        do throws(SecretStoreError) {
            var isMarkKept = false
            for key in marked(changes, mark) where try await at(key) != nil { isMarkKept = true }
            if isMarkKept, let made = try await outcome(of: changes, mark, since: start) { return made }
        } catch let failure {
            throw SecretStoreError(code: .outcomeUnknown, message: failure.message, cause: error)
        }
        throw error
    }

    /// The largest number of an item's revisions that the search reads.
    private static let mostSteps = 200

    /// The keys that hold the mark of a transaction: the keys of the items that the transaction writes.
    ///
    /// A removed item cannot hold a mark. So a transaction that only removes items writes its mark to one of
    /// 64 keys that all clients share.
    private func marked(_ changes: [SecretChange], _ mark: Data) -> [Data] {
        let written = changes.compactMap { change -> Data? in
            guard case .write(_, let name, _, _) = change else { return nil }
            return keys.key(name)
        }
        return written.isEmpty ? [keys.beside("removal/\((mark.first ?? 0) % 64)")] : written
    }

    private func isAllRemovals(_ changes: [SecretChange]) -> Bool {
        changes.allSatisfy { change in
            if case .remove = change { true } else { false }
        }
    }

    /// Returns a key's entry at a revision. Revision 0 stands for the present revision. The result is `nil`
    /// if the key was absent, or if the cluster no longer keeps the revision.
    private func at(
        _ key: Data,
        revision: Int64 = 0
    ) async throws(SecretStoreError) -> Etcdserverpb_KeyValue? {
        do throws(SecretStoreError) {
            return try await cluster.range(
                .with {
                    $0.key = key
                    $0.revision = revision
                }
            ).kvs.first
        } catch {
            guard error.code == .etcdCompacted else { throw error }
            return nil
        }
    }

    private static func newMark() -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private func condition(_ change: SecretChange) -> Etcdserverpb_Compare {
        .with {
            $0.result = .equal
            $0.key = keys.key(change.name)
            switch change.precondition {
            case .version(let version):
                $0.target = .mod
                // A version that is no positive `Int64` cannot be a revision. It is replaced by the largest
                // `Int64`, because no item has this revision.
                $0.modRevision = Int64(exactly: version.rawValue).flatMap { $0 > 0 ? $0 : nil } ?? .max
            case .absent, .none:
                $0.target = .create
                $0.createRevision = 0
            }
        }
    }

    private func operation(_ change: SecretChange, _ mark: Data) -> Etcdserverpb_RequestOp {
        .with {
            switch change {
            case .write(let value, let name, let accessibility, _):
                $0.requestPut = .put(ValueForm.bytes(value, accessibility, mark: mark), at: keys.key(name))
            case .remove(let name, _): $0.requestDeleteRange = .with { $0.key = keys.key(name) }
            }
        }
    }
}

extension Etcdserverpb_PutRequest {
    fileprivate static func put(_ value: Data, at key: Data) -> Self {
        .with {
            $0.key = key
            $0.value = value
        }
    }
}

extension SecretChange {
    /// Returns the change with a new precondition: the item has this version, or the item is absent if the
    /// version is `nil`.
    fileprivate func under(_ version: SecretVersion?) -> SecretChange {
        let condition = version.map { WritePrecondition.version($0) } ?? .absent
        return switch self {
        case .write(let value, let name, let accessibility, _):
            .write(value, to: name, accessibility: accessibility, if: condition)
        case .remove(let name, _): .remove(name, if: condition)
        }
    }
}
#endif
