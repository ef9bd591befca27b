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

    /// What is known of an item of a namespace, found by its name alone, which is compared by its bytes.
    ///
    /// Name and entry lie together: with many items each place that is looked at has to come from main memory.
    struct Item: Hashable, Sendable {
        let name: String
        var entry: Entry

        init(_ name: String, _ entry: Entry) { (self.name, self.entry) = (name, entry) }

        /// What finds the item with this name.
        init(named name: String) {
            self.init(name, Entry(offset: 0, version: 0, sealedSize: 0, accessibility: 0))
        }

        static func == (left: Item, right: Item) -> Bool {
            // The first is the way that strings of ours take; a string's own iterator takes several times as long.
            let isSame: Bool?? = unsafe left.name.utf8.withContiguousStorageIfAvailable { left in
                unsafe right.name.utf8.withContiguousStorageIfAvailable { right in
                    unsafe left.count == right.count && left.elementsEqual(right)
                }
            }
            return (isSame ?? nil) ?? left.name.utf8.elementsEqual(right.name.utf8)
        }

        func hash(into hasher: inout Hasher) {
            // Both ways feed the same bytes; the first is the one that strings of ours take.
            let hashed: Void? = unsafe name.utf8.withContiguousStorageIfAvailable {
                unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
            }
            if hashed == nil { for byte in name.utf8 { hasher.combine(byte) } }
        }
    }

    /// The items of one namespace.
    private struct Space: Sendable {
        let namespace: SecretNamespace
        var items: Set<Item> = []

        func entry(of name: String) -> Entry? {
            items.firstIndex(of: Item(named: name)).map { items[$0].entry }
        }
    }

    private var spaces: [Space] = []
    private var places: [SecretNamespace: Int] = [:]
    /// The namespace that was last written: most often the next one's too, and comparing takes less than hashing.
    private var recent = 0
    private(set) var count = 0
    /// The bytes that a freshly compacted file would use for these items' frames.
    private(set) var liveBytes: UInt64 = 0

    private func place(of namespace: SecretNamespace) -> Int? {
        if recent < spaces.count, spaces[recent].namespace == namespace { return recent }
        return places[namespace]
    }

    private func items(in namespace: SecretNamespace) -> Set<Item> {
        place(of: namespace).map { spaces[$0].items } ?? []
    }

    subscript(name: SecretName) -> Entry? {
        guard let place = place(of: name.namespace) else { return nil }
        return spaces[place].entry(of: name.name)
    }

    mutating func set(_ name: SecretName, _ entry: Entry) {
        if let place = place(of: name.namespace) {
            recent = place
        } else {
            recent = spaces.count
            places[name.namespace] = recent
            spaces.append(Space(namespace: name.namespace))
        }
        let old = spaces[recent].items.update(with: Item(name.name, entry))
        if let old { liveBytes -= Self.footprint(name, old.entry) } else { count += 1 }
        liveBytes += Self.footprint(name, entry)
    }

    mutating func remove(_ name: SecretName) {
        guard let place = place(of: name.namespace),
            let old = spaces[place].items.remove(Item(named: name.name))
        else { return }
        if spaces[place].items.isEmpty { spaces[place].items = [] }
        count -= 1
        liveBytes -= Self.footprint(name, old.entry)
    }

    /// Reserves capacity for so many times the items that are there: growing step by step costs as much as all the rest.
    mutating func expect(times factor: Double) {
        for place in spaces.indices {
            spaces[place].items.reserveCapacity(Int(Double(spaces[place].items.count) * factor))
        }
    }

    /// Gives back capacity that was reserved for items that did not come.
    mutating func trim() {
        for place in spaces.indices {
            let items = spaces[place].items
            // Capacity doubles: with less to spare nothing can be given back.
            guard items.capacity > 2 * max(items.count, Self.small) else { continue }
            var trimmed: Set<Item> = []
            trimmed.reserveCapacity(items.count)
            for item in items { trimmed.insert(item) }
            spaces[place].items = trimmed
        }
    }

    /// Up to so many items no capacity is reserved or given back in advance.
    static let small = 2048

    /// The names in a namespace, in no order.
    func names(in namespace: SecretNamespace) -> [String] { items(in: namespace).map(\.name) }

    /// All items in the order they lie in the file.
    var all: [(name: SecretName, entry: Entry)] {
        spaces.flatMap { space in
            space.items.compactMap { item in
                (try? SecretName(item.name, in: space.namespace)).map { (name: $0, entry: item.entry) }
            }
        }.sorted { $0.entry.offset < $1.entry.offset }
    }

    /// Whether a namespace has the same items in the same versions in another index, wherever they lie.
    func holdsTheSame(as other: ItemIndex, in namespace: SecretNamespace) -> Bool {
        let mine = items(in: namespace)
        guard mine.count == other.items(in: namespace).count else { return false }
        guard let place = other.place(of: namespace) else { return true }
        let others = other.spaces[place]
        return mine.allSatisfy { others.entry(of: $0.name)?.version == $0.entry.version }
    }

    private static func footprint(_ name: SecretName, _ entry: Entry) -> UInt64 {
        let names = name.namespace.rawValue.utf8.count + name.name.utf8.count
        let bare = Layout.frameOverhead + 4 + Record.fixedSize + names + Int(entry.sealedSize)
        return UInt64((bare + Layout.frameStep - 1) / Layout.frameStep * Layout.frameStep)
    }
}
