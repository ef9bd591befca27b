internal import Gcrypt
internal import PortcullisCore

/// The constants of the file's layout. Format.md explains them.
enum Layout {
    static let magic: [UInt8] = [0x89, 0x50, 0x4B, 0x45, 0x59, 0x0D, 0x0A, 0x1A]
    /// The magic at the beginning of a tail file, and the size of that file's head in bytes.
    static let tailMagic: [UInt8] = [0x89, 0x50, 0x4B, 0x54, 0x4C, 0x0D, 0x0A, 0x1A]
    static let tailHead: UInt64 = 32
    static let version: UInt32 = 1
    /// The version before the format was declared stable. Files of the two versions differ only in this
    /// number.
    static let draftVersion: UInt32 = 0x8000_0001
    static let readableVersions = [version, draftVersion]
    static let pageSize = 4096
    static let firstFrame: UInt64 = 8192
    static let slotSize = 96
    static let slotsOffset = 96
    static let mostSlots = 32
    /// The highest allowed total cost of the slots on which a passphrase is tried, in KiB times passes. It is
    /// the cost of one slot with the highest allowed parameters.
    static let mostWork: UInt64 = 32 << 20
    static let macOffset = 4032
    static let digestOffset = 4064
    static let frameStep = 64
    /// When preallocated space is added, the file's new size is a multiple of this number. The number is the
    /// block size of common file systems.
    static let growthUnit: UInt64 = 4096
    static let leastGrowth: UInt64 = 16384
    static let headSize = 32
    /// The size of head, nonce and tag together.
    static let frameOverhead = 60
    static let largestFrame = 1 << 30
    static let largestValue = 64 << 20
}

/// The content of a header page.
struct HeaderPage: Sendable, Equatable {
    /// The version as it was read from the page: a page that is written back must have the same bytes as
    /// before.
    private(set) var version = Layout.version
    var storeID: [UInt8]
    private(set) var generation: UInt64 = 1
    var fileGeneration: UInt64 = 1
    var fileSalt: [UInt8]
    var firstSequence: UInt64 = 1
    var nextSlot: UInt32 = 1
    var classEpoch: UInt32 = 1
    /// The handle of the anchor's counter; 0 if no counter was set up.
    var counter: UInt32 = 0
    var slots: [Slot] = []

    init(storeID: [UInt8], fileSalt: [UInt8]) {
        self.storeID = storeID
        self.fileSalt = fileSalt
    }

    /// Turns this header into the store's next one: raises the generation, and sets the present version of
    /// the format.
    ///
    /// - Throws: `damaged` if the generation cannot rise further.
    mutating func advance(_ path: String) throws(SecretStoreError) {
        generation = try generation.next(path)
        version = Layout.version
    }

    /// Turns this header into the header of a new file of the store.
    ///
    /// - Throws: `damaged` if a generation cannot rise further.
    mutating func advanceFile(firstSequence: UInt64, _ path: String) throws(SecretStoreError) {
        try advance(path)
        fileGeneration = try fileGeneration.next(path)
        fileSalt = randomBytes(16)
        self.firstSequence = firstSequence
    }

    /// Whether the key of the `whenUnlocked` class may be the same in another header of this store.
    ///
    /// Two headers of the same class epoch have different keys if an older copy of the file was sealed
    /// separately. In that case both headers have slots of the class, but no slot in common. After the last
    /// slot of the class was removed, a header has none. The keys cannot be compared then, and the result is
    /// `true`.
    func mayShareClassKey(with other: HeaderPage) -> Bool {
        guard classEpoch == other.classEpoch else { return false }
        let (mine, others) = (classSlots, other.classSlots)
        return mine.isEmpty || others.isEmpty || mine.contains(where: others.contains)
    }

    private var classSlots: [Slot] { slots.filter { $0.target == .whenUnlocked } }

    /// Returns the id for a new slot, and counts it as used.
    ///
    /// - Throws: `damaged` if the ids cannot rise further.
    mutating func takeSlotID(_ path: String) throws(SecretStoreError) -> UInt32 {
        let id = nextSlot
        nextSlot = try nextSlot.next(path)
        return id
    }

    /// The reason why bytes are not a page of this version.
    enum Fault: Error, Equatable { case damaged, newer }

    /// The page's bytes with MAC and digest.
    func encoded(_ macKey: SecretBytes) throws(GcryptFailure) -> [UInt8] {
        var page = [UInt8](repeating: 0, count: Layout.pageSize)
        page.put(Layout.magic, at: 0)
        page.put(version, at: 8)
        page.put(UInt32(Layout.pageSize), at: 12)
        page.put(storeID, at: 16)
        page.put(generation, at: 32)
        page.put(fileGeneration, at: 40)
        page.put(fileSalt, at: 48)
        page.put(firstSequence, at: 64)
        page.put(nextSlot, at: 72)
        page.put(classEpoch, at: 76)
        page.put(UInt32(slots.count), at: 80)
        page.put(counter, at: 84)
        for (index, slot) in slots.enumerated() {
            page.put(slot.encoded, at: Layout.slotsOffset + index * Layout.slotSize)
        }
        page.put(try Digest.authenticate(page[..<Layout.macOffset], under: macKey), at: Layout.macOffset)
        page.put(try Digest.sha256(page[..<Layout.digestOffset]), at: Layout.digestOffset)
        return page
    }

    /// Whether each number of the page is small enough to have been reached by counting up by one.
    private var isCounted: Bool {
        generation.isCounted && fileGeneration.isCounted && firstSequence.isCounted && nextSlot.isCounted
            && classEpoch.isCounted
    }

    /// Reads a page, and checks its digest. The caller must still check the page's MAC: only the MAC proves
    /// that the page's writer had the store key.
    static func decode(_ page: [UInt8]) throws(GcryptFailure) -> Result<HeaderPage, Fault> {
        guard page.count == Layout.pageSize, page.slice(0, 8) == Layout.magic,
            try Digest.sha256(page[..<Layout.digestOffset]) == page.slice(Layout.digestOffset, 32)
        else { return .failure(.damaged) }
        let version = page.number(UInt32.self, at: 8)
        guard Layout.readableVersions.contains(version) else { return .failure(.newer) }
        let count = Int(page.number(UInt32.self, at: 80))
        guard page.number(UInt32.self, at: 12) == UInt32(Layout.pageSize), count <= Layout.mostSlots else {
            return .failure(.damaged)
        }
        var header = HeaderPage(storeID: page.slice(16, 16), fileSalt: page.slice(48, 16))
        header.version = version
        header.generation = page.number(at: 32)
        header.fileGeneration = page.number(at: 40)
        header.firstSequence = page.number(at: 64)
        header.nextSlot = page.number(at: 72)
        header.classEpoch = page.number(at: 76)
        header.counter = page.number(at: 84)
        guard header.isCounted else { return .failure(.damaged) }
        for index in 0..<count {
            let bytes = page.slice(Layout.slotsOffset + index * Layout.slotSize, Layout.slotSize)
            guard let slot = Slot(bytes) else { return .failure(.damaged) }
            header.slots.append(slot)
        }
        return .success(header)
    }
}
