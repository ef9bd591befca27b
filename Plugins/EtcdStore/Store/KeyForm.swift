#if EtcdStore
internal import Foundation
internal import PortcullisCore

/// The form of an item's key: the prefix, the namespace, a zero byte, the name.
///
/// Namespaces and names have no zero byte. So each item has a key of its own, and the keys of a namespace are
/// adjacent, in the order of its names.
struct KeyForm: Sendable {
    private let prefix: Data

    init(prefix: String) { self.prefix = Data(prefix.utf8) }

    func key(_ name: SecretName) -> Data { start(name.namespace) + Data(name.name.utf8) }

    /// The first possible key of a namespace. All keys of the namespace are before ``end(_:)``.
    func start(_ namespace: SecretNamespace) -> Data { prefix + Data(namespace.rawValue.utf8) + [0] }

    func end(_ namespace: SecretNamespace) -> Data { prefix + Data(namespace.rawValue.utf8) + [1] }

    /// The first possible key of an item. A namespace begins with a printable byte, so all items are before
    /// ``itemsEnd``.
    var itemsStart: Data { prefix + [0x21] }

    var itemsEnd: Data { prefix + [0x7F] }

    /// Returns a key under the prefix that belongs to no item.
    func beside(_ text: String) -> Data { prefix + [1] + Data(text.utf8) }

    /// Returns the name of the item with this key; `nil` if the key belongs to no item.
    func name(_ key: Data) -> SecretName? {
        guard key.starts(with: prefix) else { return nil }
        let rest = key.dropFirst(prefix.count)
        guard let end = rest.firstIndex(of: 0),
            let space = String(validating: rest[..<end], as: UTF8.self),
            let text = String(validating: rest[rest.index(after: end)...], as: UTF8.self),
            let namespace = try? SecretNamespace(space)
        else { return nil }
        return try? SecretName(text, in: namespace)
    }
}

/// The form of an item in a key's value. The parts are, in order: format (1 byte), availability (1 byte),
/// whether the item stays on the device (1 byte), the mark of the transaction that wrote the item (16 random
/// bytes), the item's value.
struct ValueForm: Sendable {
    private static let format: UInt8 = 1
    private static let head = 19

    let accessibility: Accessibility
    let mark: Data
    let value: SecretBytes

    static func bytes(_ value: SecretBytes, _ accessibility: Accessibility, mark: Data) -> Data {
        var bytes = Data([
            format, accessibility.availability.rawValue, accessibility.thisDeviceOnly ? 1 : 0,
        ])
        bytes += mark
        value.withBytes { span in
            unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Reads an item from the value of its key.
    ///
    /// - Throws: `newerFormat` for the format of a later version; `damaged` for other bytes that no store on
    ///   etcd can have written.
    init(_ bytes: Data) throws(SecretStoreError) {
        let bytes = Data(bytes)
        guard let format = bytes.first, format <= Self.format || bytes.count < Self.head else {
            guard bytes.isEmpty else {
                throw SecretStoreError(code: .newerFormat, message: "an item has a format of a later version")
            }
            throw Self.damage
        }
        guard bytes.count >= Self.head, format == Self.format,
            let availability = Accessibility.Availability(rawValue: bytes[1]), bytes[2] <= 1
        else { throw Self.damage }
        accessibility = Accessibility(availability, thisDeviceOnly: bytes[2] == 1)
        mark = bytes[3..<Self.head]
        value = SecretBytes(copying: bytes[Self.head...])
    }

    private static var damage: SecretStoreError {
        SecretStoreError(code: .damaged, message: "an item is not of the form that a store writes")
    }
}
#endif
