import PortcullisCore
import Synchronization

extension FaultyStore {
    func damage(of name: SecretName) -> SecretStoreError {
        SecretStoreError(code: .damaged, message: "\(name) is damaged")
    }

    /// Refuses to change a damaged item, with this fault.
    func refuseDamaged(_ name: SecretName, if refusal: Fault) throws(SecretStoreError) {
        guard fault == refusal, place.state.withLock({ $0.damaged.contains(name) }) else { return }
        throw damage(of: name)
    }
}
