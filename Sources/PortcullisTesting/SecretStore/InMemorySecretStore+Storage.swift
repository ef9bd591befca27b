public import PortcullisCore
internal import Synchronization

extension InMemorySecretStore {
    /// The items that one or several stores share.
    public final class Storage: Sendable {
        private struct State {
            var items: [SecretName: StoredSecret] = [:]
            /// Items that cannot be trusted any more.
            var damaged: Set<SecretName> = []
            /// One counter for all items: no version ever comes back, not even for an item made again.
            var lastVersion: UInt64 = 0
            var lastListener = 0
            var listeners: [SecretNamespace: [Int: AsyncStream<Void>.Continuation]] = [:]
        }

        enum Outcome {
            case done(versions: [SecretVersion?], removed: Set<SecretName>)
            case conflict([SecretName: SecretVersion?])
        }

        private let state = Mutex(State())

        /// An empty storage.
        public init() {}

        /// Makes an item unreadable, as altered bytes do: reading it is
        /// ``/PortcullisCore/SecretStoreError/Code/damaged`` in every store over this storage until it is written anew
        /// or removed. It stays listed, and keeps its version. One that is not there stays so.
        public func damage(_ name: SecretName) {
            state.withLock { state in
                if state.items[name] != nil { state.damaged.insert(name) }
            }
        }

        func item(_ name: SecretName) throws(SecretStoreError) -> StoredSecret? {
            let (item, isDamaged) = state.withLock { ($0.items[name], $0.damaged.contains(name)) }
            if isDamaged { throw SecretStoreError(code: .damaged, message: "\(name) is damaged") }
            return item
        }

        func names(in namespace: SecretNamespace) -> [SecretName] {
            state.withLock { $0.items.keys.filter { $0.namespace == namespace }.sorted() }
        }

        func commit(_ changes: [SecretChange]) -> Outcome {
            let (outcome, listeners) = state.withLock { state in Self.commit(changes, to: &state) }
            // Outside the lock, and after the change: a listener that reads then finds the new state.
            for listener in listeners { listener.yield() }
            return outcome
        }

        private static func commit(
            _ changes: [SecretChange],
            to state: inout State
        ) -> (Outcome, [AsyncStream<Void>.Continuation]) {
            var conflicts: [SecretName: SecretVersion?] = [:]
            for change in changes {
                let current = state.items[change.name]?.version
                switch change.precondition {
                case .none: continue
                case .absent where current == nil: continue
                case .version(let expected) where current == expected: continue
                case .absent, .version: conflicts.updateValue(current, forKey: change.name)
                }
            }
            guard conflicts.isEmpty else { return (.conflict(conflicts), []) }

            var versions: [SecretVersion?] = []
            var removed: Set<SecretName> = []
            var touched: Set<SecretNamespace> = []
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
                    touched.insert(name.namespace)
                case .remove(let name, _):
                    if state.items.removeValue(forKey: name) != nil {
                        removed.insert(name)
                        touched.insert(name.namespace)
                    }
                    versions.append(nil)
                }
            }
            let listeners = touched.flatMap { state.listeners[$0].map { Array($0.values) } ?? [] }
            return (.done(versions: versions, removed: removed), listeners)
        }

        func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
            // A buffer of one merges the signals that were not taken yet.
            let (stream, continuation) = AsyncStream.makeStream(
                of: Void.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            let id = state.withLock { state in
                state.lastListener += 1
                state.listeners[namespace, default: [:]][state.lastListener] = continuation
                return state.lastListener
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners[namespace]?[id] = nil }
            }
            return stream
        }
    }
}
