internal import Gcrypt

/// The public areas and policies of this library's objects (TPM 2.0 Part 2, 12.2; Part 1, 19.7).
enum Template {
    /// A public area; `head` is the part that is the same for all objects of a kind.
    struct Area: Sendable, Hashable {
        var head: [UInt8]
        var unique: [UInt8]
        var bytes: [UInt8] { head + unique }
    }

    /// The owner's storage key as the TCG describes it: P-256, AES-128-CFB, without an authorization. The key
    /// is exempt from the chip's general lock-out after wrong authorizations ("dictionary attack
    /// protection"). Otherwise the key could not be loaded during a lock-out.
    ///
    /// - Parameter unique: the value of each coordinate in the public area. In the template from which the
    ///   chip makes the key, each coordinate has 32 zero bytes.
    static func storageKey(unique: [UInt8]) -> Area {
        // The key is for ECC and SHA-256. Its attributes are fixedTPM, fixedParent, sensitiveDataOrigin,
        // userWithAuth, noDA, restricted and decrypt.
        var head = Wire(UInt16(0x0023), UInt16(0x000B), UInt32(0x0003_0472))
        head.put(sized: [])
        // The key encrypts with AES-128-CFB. It has no signing scheme, its curve is P-256, and it has no key
        // derivation scheme.
        for number: UInt16 in [0x0006, 128, 0x0043, 0x0010, 0x0003, 0x0010] { head.put(number) }
        var point = Wire()
        point.put(sized: unique)
        point.put(sized: unique)
        return Area(head: head.bytes, unique: point.bytes)
    }

    /// A sealed object that is exempt from the chip's general lock-out; see ``storageKey(unique:)``. If a
    /// policy is given, using the object needs this policy. Otherwise it needs the object's authorization.
    static func sealed(policy: [UInt8]?) -> Area {
        // The attributes are fixedTPM, fixedParent and noDA, with userWithAuth or adminWithPolicy.
        let attributes: UInt32 = 0x412 | (policy == nil ? 0x40 : 0x80)
        var head = Wire(UInt16(0x0008), UInt16(0x000B), attributes)
        head.put(sized: policy ?? [])
        head.put(UInt16(0x0010))
        return Area(head: head.bytes, unique: [0, 0])
    }

    /// The Name of an object or an index: the algorithm's number, followed by the digest of the public area.
    static func name(of area: [UInt8]) throws(ChipFailure) -> [UInt8] {
        [0x00, 0x0B] + (try Chip.digest(area))
    }

    /// Returns the digest of the policy that demands an entity's authorization: `PolicySecret` without a
    /// reference.
    static func policy(ofKnowing name: [UInt8]) throws(ChipFailure) -> [UInt8] {
        let start = [UInt8](repeating: 0, count: Digest.size)
        return try Chip.digest(
            try Chip.digest(start + Wire(Chip.Command.policySecret.rawValue).bytes + name)
        )
    }
}
