internal import AdapterKit
public import PortcullisCore
internal import Synchronization

extension InMemorySecretStore {
    /// The items that one or several stores share.
    public final class Storage: Sendable {
        private struct State {
            var items: [SecretName: StoredSecret] = [:]
            /// The items that cannot be read, because a test has damaged them.
            var damaged: Set<SecretName> = []
            /// The version of the last write. All items share this counter, so that no version occurs twice,
            /// even for an item that is removed and written again.
            var lastVersion: UInt64 = 0
        }

        enum Outcome {
            case done(versions: [SecretVersion?], removed: Set<SecretName>)
            case conflict([SecretName: SecretVersion?])
        }

        private let state = Mutex(State())
        private let signals = ChangeSignals()

        /// Makes an empty storage.
        public init() {}

        /// Damages an item. Reading it throws ``/PortcullisCore/SecretStoreErrorCode/damaged`` in every store
        /// over this storage until the item is written again or removed. The item keeps its version and stays
        /// in the listing. If the item does not exist, nothing happens.
        public func damage(_ name: SecretName) {
            state.withLock { state in
                if state.items[name] != nil { state.damaged.insert(name) }
            }
        }

        func item(_ name: SecretName) throws(SecretStoreError) -> StoredSecret? {
            try items([name])[0]
        }

        /// The items as they are at one moment, in the order of `names`.
        func items(_ names: [SecretName]) throws(SecretStoreError) -> [StoredSecret?] {
            let (items, damaged) = state.withLock { state in
                (names.map { state.items[$0] }, names.first { state.damaged.contains($0) })
            }
            if let damaged { throw SecretStoreError(code: .damaged, message: "\(damaged) is damaged") }
            return items
        }

        func names(in namespace: SecretNamespace) -> [SecretName] {
            state.withLock { $0.items.keys.filter { $0.namespace == namespace }.sorted() }
        }

        func commit(_ changes: [SecretChange]) -> Outcome {
            let (outcome, touched) = state.withLock { state in Self.commit(changes, to: &state) }
            signals.send(touched)
            return outcome
        }

        private static func commit(
            _ changes: [SecretChange],
            to state: inout State
        ) -> (Outcome, Set<SecretName>) {
            var conflicts: [SecretName: SecretVersion?] = [:]
            for change in changes {
                let current = state.items[change.name]?.version
                if !change.precondition.holds(for: current) {
                    conflicts.updateValue(current, forKey: change.name)
                }
            }
            guard conflicts.isEmpty else { return (.conflict(conflicts), []) }

            var versions: [SecretVersion?] = []
            var removed: Set<SecretName> = []
            var touched: Set<SecretName> = []
            for change in changes {
                state.damaged.remove(change.name)
                switch change {
                case .write(let value, let name, let accessibility, _):
                    state.lastVersion += 1
                    let version = SecretVersion(state.lastVersion)
                    state.items[name] = StoredSecret(
                        value: value,
                        version: version,
                        accessibility: accessibility
                    )
                    versions.append(version)
                    touched.insert(name)
                case .remove(let name, _):
                    if state.items.removeValue(forKey: name) != nil {
                        removed.insert(name)
                        touched.insert(name)
                    }
                    versions.append(nil)
                }
            }
            return (.done(versions: versions, removed: removed), touched)
        }

        func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { signals.stream(in: namespace) }

        func changes(to name: SecretName) -> AsyncStream<Void> { signals.stream(of: name) }
    }
}
