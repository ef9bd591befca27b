internal import Gcrypt

/// What objects and policies look like (TPM 2.0 Part 2, 12.2; Part 1, 19.7).
enum Template {
    /// A public area; `head` is all of it but what makes one object differ from another.
    struct Area: Sendable, Hashable {
        var head: [UInt8]
        var unique: [UInt8]
        var bytes: [UInt8] { head + unique }
    }

    /// The owner's storage key as the TCG describes it: P-256, for AES-128-CFB, without an authorization, and outside of the
    /// machine's own lock-out, in which it would not load.
    ///
    /// - Parameter unique: 32 bytes of zero to have it made, in the place of each coordinate.
    static func storageKey(unique: [UInt8]) -> Area {
        // ECC, SHA-256, fixedTPM | fixedParent | sensitiveDataOrigin | userWithAuth | noDA | restricted | decrypt
        var head = Wire(UInt16(0x0023), UInt16(0x000B), UInt32(0x0003_0472))
        head.put(sized: [])
        // AES, 128 bits, CFB; no scheme; P-256; no derivation
        for number: UInt16 in [0x0006, 128, 0x0043, 0x0010, 0x0003, 0x0010] { head.put(number) }
        var point = Wire()
        point.put(sized: unique)
        point.put(sized: unique)
        return Area(head: head.bytes, unique: point.bytes)
    }

    /// A sealed object outside of the machine's lock-out: used under its authorization, or under a policy alone.
    static func sealed(policy: [UInt8]?) -> Area {
        // fixedTPM | fixedParent | noDA, and userWithAuth or adminWithPolicy
        let attributes: UInt32 = 0x412 | (policy == nil ? 0x40 : 0x80)
        var head = Wire(UInt16(0x0008), UInt16(0x000B), attributes)
        head.put(sized: policy ?? [])
        head.put(UInt16(0x0010))
        return Area(head: head.bytes, unique: [0, 0])
    }

    /// The Name of an object or an index: its public area's digest behind the algorithm's number.
    static func name(of area: [UInt8]) throws(ChipFailure) -> [UInt8] {
        [0x00, 0x0B] + (try Chip.digest(area))
    }

    /// The policy of knowing the authorization of an entity, `PolicySecret` without a reference.
    static func policy(ofKnowing name: [UInt8]) throws(ChipFailure) -> [UInt8] {
        let start = [UInt8](repeating: 0, count: Digest.size)
        return try Chip.digest(
            try Chip.digest(start + Wire(Chip.Command.policySecret.rawValue).bytes + name)
        )
    }
}
