internal import PortcullisCore

/// The places of the items' sealed values in the file.
///
/// The index never holds the values themselves.
struct ItemIndex: Sendable {
    /// The place of one item's value. An entry takes 24 bytes besides the item's name.
    struct Entry: Sendable {
        var offset: UInt64
        var version: UInt64
        var sealedSize: UInt32
        var accessibility: UInt8
    }

    /// An item of a namespace. Two items are equal if their names have the same bytes, whatever their entries are.
    ///
    /// Name and entry are adjacent in memory, so that a lookup loads few cache lines. With many items each
    /// cache line comes from main memory.
    struct Item: Hashable, Sendable {
        let name: String
        var entry: Entry

        init(_ name: String, _ entry: Entry) { (self.name, self.entry) = (name, entry) }

        /// Makes an item that serves only to look up the item with this name.
        init(named name: String) {
            self.init(name, Entry(offset: 0, version: 0, sealedSize: 0, accessibility: 0))
        }

        static func == (left: Item, right: Item) -> Bool {
            // Native strings have contiguous bytes, which are compared in one step. A string's own iterator
            // takes several times as long.
            let isSame: Bool?? = unsafe left.name.utf8.withContiguousStorageIfAvailable { left in
                unsafe right.name.utf8.withContiguousStorageIfAvailable { right in
                    unsafe left.count == right.count && left.elementsEqual(right)
                }
            }
            return (isSame ?? nil) ?? left.name.utf8.elementsEqual(right.name.utf8)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: name) }
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
    /// The index in `spaces` of the namespace that was written last. The next write is most often in the same
    /// namespace, and comparing two namespaces takes less time than hashing one.
    private var recent = 0
    private(set) var count = 0
    /// The size in bytes that the frames of all items would have in a freshly compacted file.
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

    /// Reserves capacity for `factor` times the present number of items. Without reserved capacity the sets
    /// would grow step by step. The growth would take as long as all other work of reading the file.
    mutating func expect(times factor: Double) {
        for place in spaces.indices {
            spaces[place].items.reserveCapacity(Int(Double(spaces[place].items.count) * factor))
        }
    }

    /// Frees reserved capacity that no item uses.
    mutating func trim() {
        for place in spaces.indices {
            let items = spaces[place].items
            // A set's capacity grows by doubling. A copy of a set that is more than half full would get the same
            // capacity again. So only sets that are less than half full are copied.
            guard items.capacity > 2 * max(items.count, Self.small) else { continue }
            var trimmed: Set<Item> = []
            trimmed.reserveCapacity(items.count)
            for item in items { trimmed.insert(item) }
            spaces[place].items = trimmed
        }
    }

    /// The number of items below which an index is small. For a larger index, capacity is reserved while the
    /// items are read, and unused capacity is freed after that.
    static let small = 2048

    /// The names in a namespace, in no particular order.
    func names(in namespace: SecretNamespace) -> [String] { items(in: namespace).map(\.name) }

    /// All items, in the order of their places in the file.
    var all: [(name: SecretName, entry: Entry)] {
        spaces.flatMap { space in
            space.items.compactMap { item in
                (try? SecretName(item.name, in: space.namespace)).map { (name: $0, entry: item.entry) }
            }
        }.sorted { $0.entry.offset < $1.entry.offset }
    }

    /// Whether another index has the same items in the same versions in a namespace. Their places may differ.
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
