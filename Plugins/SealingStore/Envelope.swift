internal import Gcrypt
internal import PortcullisCore

/// The data that a sealed value is bound to, besides the bytes before the nonce in its ``Envelope``. The
/// value does not open with other data.
struct Binding: Sendable {
    /// The kind of the item.
    enum Kind: UInt8, Sendable { case item = 1, floor, ledger }

    let kind: Kind
    let name: [UInt8]
    let accessibility: Accessibility

    var bytes: [UInt8] {
        [kind.rawValue, accessibility.availability.rawValue, accessibility.thisDeviceOnly ? 1 : 0] + name
    }
}

/// A sealed value, as it is stored in the underlying store.
///
/// The bytes are: format (1), id of the value key (4), number of the item (8), length of a sealed long name
/// (2), that name, nonce (12), sealed value, tag (16). All bytes before the nonce are authenticated with the
/// value. The number rises with each write of the item.
struct Envelope: Sendable {
    private static let format: UInt8 = 1
    private static let head = 15
    /// The limit of an item's number. No real number comes near the limit. A forged number that reaches the
    /// limit is refused, because sums with such numbers could overflow.
    static let largestNumber: UInt64 = 1 << 62

    let key: UInt32
    let number: UInt64
    /// The sealed name if the name is long; otherwise empty.
    let name: [UInt8]
    private let bytes: [UInt8]
    private let start: Int

    /// Decodes the parts that are not encrypted.
    init(_ value: SecretBytes) throws(SecretStoreError) {
        let bytes = value.sealedBytes
        guard let format = bytes.first else { throw .damaged("a value below is empty") }
        guard format == Self.format else {
            if format > Self.format, bytes.count >= Self.head {
                throw SecretStoreError(code: .newerFormat, message: "a value was sealed in format \(format)")
            }
            throw .damaged("a value below was not sealed")
        }
        guard bytes.count >= Self.head else { throw .damaged("a value below is too short") }
        let start = Self.head + Int(bytes.number(UInt16.self, at: 13))
        guard bytes.count >= start + SealingKey.overhead else { throw .damaged("a value below is too short") }
        key = bytes.number(at: 1)
        number = bytes.number(at: 5)
        name = Array(bytes[Self.head..<start])
        (self.bytes, self.start) = (bytes, start)
        guard number < Self.largestNumber else { throw .damaged("a value below has a number that none has") }
    }

    /// The last 8 bytes of a sealed value's tag. Two values with the same number differ in these bytes.
    static func fingerprint(of sealed: SecretBytes) -> UInt64 {
        sealed.withBytes { bytes in
            bytes.indices.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64(bytes[$1]) }
        }
    }

    /// Opens the value; `nil` if the value was altered or is bound to other data.
    func open(_ key: SealingKey, _ binding: Binding) throws(SecretStoreError) -> SecretBytes? {
        let bound = Array(bytes[..<start]) + binding.bytes
        do {
            return try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                try unsafe bound.span.bytes.withUnsafeBytes { (bound) throws(GcryptFailure) in
                    try unsafe Sealed.open(
                        UnsafeRawBufferPointer(rebasing: bytes[(start + SealingKey.nonceSize)...]),
                        under: key,
                        nonce: UnsafeRawBufferPointer(rebasing: bytes[start..<start + SealingKey.nonceSize]),
                        binding: bound
                    )
                }
            }
        } catch {
            throw .sealing(error)
        }
    }

    static func seal(
        _ value: SecretBytes,
        number: UInt64,
        under key: (id: UInt32, key: SealingKey),
        _ binding: Binding,
        longName: [UInt8] = []
    ) throws(SecretStoreError) -> SecretBytes {
        guard number < largestNumber else { throw .damaged("an item has used its numbers up") }
        var bytes: [UInt8] = [format]
        bytes.append(key.id)
        bytes.append(number)
        bytes.append(UInt16(longName.count))
        bytes += longName
        let bound = bytes + binding.bytes
        let start = bytes.count
        bytes += [UInt8].random(SealingKey.nonceSize)
        do {
            try Sealed.append(value, to: &bytes, under: key.key, nonce: start..<bytes.count, binding: bound)
        } catch {
            throw .sealing(error)
        }
        return SecretBytes(copying: bytes)
    }
}
