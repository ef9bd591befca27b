internal import Gcrypt
internal import PortcullisCore

/// One wrapped key of a header page.
struct Slot: Sendable, Equatable {
    enum Kind: UInt8, Sendable { case passphrase = 1, keyFile, rawKey, storeKey }
    enum Target: UInt8, Sendable { case store = 1, whenUnlocked, afterFirstUnlock }

    var kind: Kind
    var target: Target
    var id: UInt32
    var cost: Argon2Parameters
    var salt: [UInt8]
    var nonce: [UInt8] = []
    var wrapped: [UInt8] = []
    var tag: [UInt8] = []

    /// The bytes of the slot that are authenticated together with the wrapped key.
    private var head: [UInt8] {
        var bytes: [UInt8] = [kind.rawValue, target.rawValue, 0, 0]
        bytes.append(id)
        bytes.append(cost.memory)
        bytes.append(cost.passes)
        bytes.append(cost.lanes)
        return bytes + salt
    }

    var encoded: [UInt8] { head + nonce + wrapped + tag }

    init(kind: Kind, target: Target, id: UInt32, cost: Argon2Parameters?) {
        self.kind = kind
        self.target = target
        self.id = id
        self.cost = cost ?? Argon2Parameters(memory: 0, passes: 0, lanes: 0)
        self.salt = randomBytes(16)
    }

    init?(_ bytes: [UInt8]) {
        guard let kind = Kind(rawValue: bytes[0]), let target = Target(rawValue: bytes[1]) else { return nil }
        self.kind = kind
        self.target = target
        self.id = bytes.number(at: 4)
        self.cost = Argon2Parameters(
            memory: bytes.number(at: 8),
            passes: bytes.number(at: 12),
            lanes: bytes.number(at: 16)
        )
        self.salt = bytes.slice(20, 16)
        self.nonce = bytes.slice(36, 12)
        self.wrapped = bytes.slice(48, 32)
        self.tag = bytes.slice(80, 16)
    }

    /// Whether the parameters `today` are stronger than the slot's in at least one respect, and weaker in
    /// none. The result is `false` for a slot without a passphrase.
    ///
    /// If each set of parameters is stronger in one respect, the result is `false`, and the slot is not
    /// changed. If the slot were changed, two programs with such parameters would undo each other's changes:
    /// each of them would rewrite the header whenever it opens the store.
    func isWeaker(than today: Argon2Parameters) -> Bool {
        kind == .passphrase && cost.isWeaker(than: today) && !today.isWeaker(than: cost)
    }

    /// Derives the wrapping key from a key of 32 random bytes.
    func wrappingKey(from key: SecretBytes) throws(GcryptFailure) -> SecretBytes {
        try Digest.derive(from: key, Array("portcullis slot".utf8), [kind.rawValue], salt)
    }

    /// Wraps a key under a wrapping key, with a new nonce.
    mutating func wrap(_ key: SecretBytes, under wrapping: SecretBytes, storeID: [UInt8])
        throws(GcryptFailure)
    {
        nonce = randomBytes(12)
        let sealed = try Sealed.seal(key, under: wrapping, nonce: nonce, binding: storeID + head)
        wrapped = sealed.slice(0, 32)
        tag = sealed.slice(32, 16)
    }

    /// Unwraps the key. Returns `nil` if the wrapping key does not fit, or if the slot was altered.
    func unwrap(under wrapping: SecretBytes, storeID: [UInt8]) throws(GcryptFailure) -> SecretBytes? {
        try Sealed.open(wrapped + tag, under: wrapping, nonce: nonce, binding: storeID + head)
    }
}
