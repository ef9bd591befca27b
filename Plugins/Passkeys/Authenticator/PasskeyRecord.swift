#if Passkeys
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import AdapterKit
public import PortcullisCore

/// The names under which passkeys are stored, for apps that share the store.
public enum PasskeyNames: Sendable {
    /// The namespace of passkeys: one item per user.
    public static let records = SecretNamespace.library("passkeys")

    /// The name of the item with a user's passkeys.
    public static func record(of user: UserID) -> SecretName { SecretName(user, in: records) }
}

/// A stored passkey, with the wrap: the encrypted key that only this passkey can decrypt.
struct KeptPasskey: Sendable, Hashable, Codable {
    var credential: PasskeyCredential
    /// The user handle that the passkey was made with. Each passkey has a handle of its own. When a device
    /// makes a passkey with a handle that an earlier passkey has, the device deletes the earlier passkey,
    /// even if the new enrolment then fails.
    let userHandle: [UInt8]
    /// Bytes that identify the wrapped key (``KeyWrap/mark(of:)``). They are the same for all wraps of one
    /// key.
    let keyMark: [UInt8]
    var wrap: KeyWrap
}

/// All stored passkeys of a user. The store holds the record as one item, and the item is always written as a
/// whole.
///
/// No part is secret by itself: the record holds public keys, salts, and encrypted keys that only the
/// passkeys can decrypt.
struct PasskeyRecord: Sendable, Hashable, Codable {
    static let currentVersion = 1
    /// The largest number of passkeys in a record; no person is expected to have more devices. A further
    /// passkey replaces the oldest one.
    static let limit = 16

    private(set) var version = Self.currentVersion
    private(set) var passkeys: [KeptPasskey] = []

    func passkey(_ id: [UInt8]) -> KeptPasskey? { passkeys.first { $0.credential.id == id } }

    /// Adds a passkey. Passkeys for another key are removed, and a passkey with the same id is replaced.
    mutating func add(_ passkey: KeptPasskey) {
        passkeys.removeAll { $0.keyMark != passkey.keyMark || $0.credential.id == passkey.credential.id }
        passkeys = passkeys.suffix(Self.limit - 1) + [passkey]
    }

    /// Replaces the passkey that has the same id. Without such a passkey nothing changes.
    mutating func replace(_ passkey: KeptPasskey) {
        guard let index = passkeys.firstIndex(where: { $0.credential.id == passkey.credential.id }) else {
            return
        }
        passkeys[index] = passkey
    }
}

extension PasskeyRecord {
    init(decoding value: SecretBytes) throws(BiometricError) {
        let data = value.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
        do {
            self = try JSONDecoder().decode(PasskeyRecord.self, from: data)
        } catch {
            throw BiometricError(
                code: .passkeyRecordDamaged,
                message: "the record of passkeys cannot be understood",
                cause: error
            )
        }
        guard version == Self.currentVersion, !passkeys.isEmpty, passkeys.allSatisfy(\.isSane) else {
            throw BiometricError(
                code: .passkeyRecordDamaged,
                message: "the record of passkeys is of another version or holds impossible values"
            )
        }
    }

    func encoded() throws(BiometricError) -> SecretBytes {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return SecretBytes(copying: try encoder.encode(self))
        } catch {
            throw BiometricError(
                code: .systemFailure,
                message: "the passkeys cannot be written",
                cause: error
            )
        }
    }

    /// The item that holds a user's passkeys.
    static func item(
        of user: UserID,
        in store: any SecretStore
    ) -> StoredValue<PasskeyRecord, BiometricError> {
        StoredValue(
            PasskeyNames.record(of: user),
            in: store,
            coding: .init(
                encode: { record throws(BiometricError) in try record.encoded() },
                decode: { value throws(BiometricError) in try PasskeyRecord(decoding: value) },
                failed: {
                    BiometricError(
                        code: .systemFailure,
                        message: "the store of passkeys failed",
                        cause: $0
                    )
                }
            )
        )
    }
}

extension KeptPasskey {
    /// Whether the parts of the passkey have valid lengths. A record with other lengths counts as damaged.
    fileprivate var isSane: Bool {
        (1...1_023).contains(credential.id.count) && (1...64).contains(userHandle.count)
            && wrap.salt.count == KeyWrap.length && keyMark.count == 16
    }
}
#endif
