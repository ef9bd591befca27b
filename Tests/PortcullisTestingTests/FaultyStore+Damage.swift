import Foundation
import PortcullisCore
import Synchronization

extension FaultyStore {
    func damage(of name: SecretName) -> SecretStoreError {
        let bytes = place.state.withLock { state -> [UInt8] in
            state.items[key(name)]?.stored.value.withBytes { bytes in bytes.indices.map { bytes[$0] } } ?? []
        }
        return switch fault {
        case .damageShowsText:
            SecretStoreError(
                code: .damaged,
                message: "\(name) is damaged",
                cause: SecretStoreError(
                    code: .systemFailure,
                    message: "cannot parse \(String(decoding: bytes, as: UTF8.self))"
                )
            )
        case .damageShowsBytes: SecretStoreError(code: .damaged, message: "cannot parse \(bytes)")
        case .damageShowsBase64:
            SecretStoreError(code: .damaged, message: "cannot parse \(Data(bytes).base64EncodedString())")
        default: SecretStoreError(code: .damaged, message: "\(name) is damaged")
        }
    }

    /// Whether an item cannot be read: it is damaged or, with one fault, any item is.
    func isDamaged(_ name: SecretName) -> Bool {
        place.state.withLock { state in
            fault == .damageTakesOthers ? !state.damaged.isEmpty : state.damaged.contains(name)
        }
    }

    /// Drops all items if one is damaged, like a store that begins an empty file in place of a damaged one.
    func beginAnewIfDamaged() {
        place.state.withLock { state in
            guard !state.damaged.isEmpty else { return }
            state.items = [:]
            state.damaged = []
        }
    }

    /// Refuses to change a damaged item, with this fault.
    func refuseDamaged(_ name: SecretName, if refusal: Fault) throws(SecretStoreError) {
        guard fault == refusal, place.state.withLock({ $0.damaged.contains(name) }) else { return }
        throw damage(of: name)
    }
}
