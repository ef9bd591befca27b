internal import PortcullisCore

/// Where the items' sealed values lie.
///
/// Values themselves are never kept.
struct ItemIndex: Sendable {
    /// 24 bytes for each item, besides its name.
    struct Entry: Sendable {
        var offset: UInt64
        var version: UInt64
        var sealedSize: UInt32
        var accessibility: UInt8
    }

    /// A name inside a namespace, compared by its bytes.
    struct Key: Hashable, Sendable {
        let name: String

        static func == (left: Key, right: Key) -> Bool {
            left.name.utf8.elementsEqual(right.name.utf8)
        }

        func hash(into hasher: inout Hasher) {
            // Both ways feed the same bytes; the first is the one that strings of ours take.
            let hashed: Void? = unsafe name.utf8.withContiguousStorageIfAvailable {
                unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
            }
            if hashed == nil { for byte in name.utf8 { hasher.combine(byte) } }
        }
    }

    private(set) var spaces: [SecretNamespace: [Key: Entry]] = [:]
    private(set) var count = 0
    /// The bytes that a freshly compacted file would use for these items' frames.
    private(set) var liveBytes: UInt64 = 0

    subscript(name: SecretName) -> Entry? { spaces[name.namespace]?[Key(name: name.name)] }

    mutating func set(_ name: SecretName, _ entry: Entry) {
        let old = spaces[name.namespace, default: [:]].updateValue(entry, forKey: Key(name: name.name))
        if let old { liveBytes -= Self.footprint(name, old) } else { count += 1 }
        liveBytes += Self.footprint(name, entry)
    }

    mutating func remove(_ name: SecretName) {
        guard let old = spaces[name.namespace]?.removeValue(forKey: Key(name: name.name)) else { return }
        if spaces[name.namespace]?.isEmpty == true { spaces[name.namespace] = nil }
        count -= 1
        liveBytes -= Self.footprint(name, old)
    }

    /// The names in a namespace, in no order.
    func keys(in namespace: SecretNamespace) -> [Key] { Array((spaces[namespace] ?? [:]).keys) }

    /// All items in the order they lie in the file.
    var all: [(name: SecretName, entry: Entry)] {
        spaces.flatMap { space in
            space.value.compactMap { item in
                (try? SecretName(item.key.name, in: space.key)).map { (name: $0, entry: item.value) }
            }
        }.sorted { $0.entry.offset < $1.entry.offset }
    }

    /// Whether a namespace has the same items in the same versions in another index, wherever they lie.
    func holdsTheSame(as other: ItemIndex, in namespace: SecretNamespace) -> Bool {
        let (mine, others) = (spaces[namespace] ?? [:], other.spaces[namespace] ?? [:])
        return mine.count == others.count
            && mine.allSatisfy { item in others[item.key]?.version == item.value.version }
    }

    private static func footprint(_ name: SecretName, _ entry: Entry) -> UInt64 {
        let names = name.namespace.rawValue.utf8.count + name.name.utf8.count
        let bare = Layout.frameOverhead + 4 + Record.fixedSize + names + Int(entry.sealedSize)
        return UInt64((bare + Layout.frameStep - 1) / Layout.frameStep * Layout.frameStep)
    }
}
