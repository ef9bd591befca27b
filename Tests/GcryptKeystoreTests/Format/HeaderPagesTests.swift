import Gcrypt
import PortcullisCore
import Testing

@testable import GcryptKeystore

@Suite("The two pages of a header", .timeLimit(.minutes(10)))
struct HeaderPagesTests {
    private let storeKey = SecretBytes(copying: [UInt8](repeating: 5, count: 32))
    private let scratch: Scratch

    /// Pages by what they are: of two generations, one of a key that is not the store's, and of a later format.
    private let pages: [String: [UInt8]]
    private let macs: [String: [UInt8]]

    init() throws {
        scratch = try Scratch()
        var header = HeaderPage(storeID: [UInt8](1...16), fileSalt: [UInt8](17...32))
        let key = try KeyRing.headerKey(storeKey, header.storeID)
        let old = try header.encoded(key)
        try header.advance("store")
        let new = try header.encoded(key)
        let forged = try header.encoded(storeKey)
        var later = new
        later.put(2 as UInt32, at: 8)
        later.put(try Digest.sha256(later[..<Layout.digestOffset]), at: Layout.digestOffset)
        var bad = new
        bad[4_000] ^= 1
        pages = ["old": old, "new": new, "forged": forged, "later": later, "bad": bad]
        macs = pages.mapValues { $0.slice(Layout.macOffset, 32) }
    }

    private func read(_ first: String, _ second: String) throws -> HeaderPages {
        try scratch.put(try #require(pages[first]) + #require(pages[second]))
        let files = POSIXFiles()
        return try HeaderPages(
            files,
            OpenDescriptor(try files.open(scratch.store, .read), files),
            scratch.store
        )
    }

    @Test(
        "K-5: a damaged or old page is made anew from the one in force, and is the one to be written next",
        arguments: [
            ("new", "new", [], nil, 0), ("old", "new", [], 0, 0), ("new", "old", [], 1, 1),
            ("bad", "new", [0], 0, 0), ("new", "bad", [4_096], 1, 1), ("bad", "bad", [0, 4_096], nil, 0),
            ("bad", "old", [0], nil, 0), ("later", "new", [0], nil, 0), ("new", "later", [4_096], nil, 1),
        ] as [(String, String, [UInt64], Int?, Int)]
    )
    func pairs(_ first: String, _ second: String, _ damaged: [UInt64], _ repaired: Int?, _ next: Int) throws {
        let read = try read(first, second)
        let mac = try #require(macs["new"])
        #expect(read.damagedOffsets == damaged)
        #expect(read.replacement(mac)?.index == repaired)
        #expect(repaired == nil || read.replacement(mac)?.page == pages["new"])
        #expect(read.indexNotInForce(mac) == next)
    }

    @Test("K-6: a page that the store's key has not made counts as damaged, wherever it is")
    func forged() throws {
        let key = try KeyRing.headerKey(storeKey, [UInt8](1...16))
        for (first, second, offsets) in [
            ("new", "old", []), ("forged", "new", [0]), ("new", "forged", [4_096]),
            ("bad", "forged", [0, 4_096]),
            ("forged", "forged", [0, 4_096]),
        ] as [(String, String, [UInt64])] {
            var read = try read(first, second)
            try read.refuseForged(key)
            #expect(read.damagedOffsets == offsets, "\(first), \(second)")
        }
    }

    @Test("K-5: the page of the later generation is in force, as long as it verifies; of none it is said why")
    func inForce() throws {
        for (first, second, found) in [
            ("old", "new", "2"), ("new", "old", "2"), ("old", "old", "1"), ("old", "bad", "1"),
            ("bad", "old", "1"),
            ("forged", "old", "1"), ("old", "later", "1"), ("forged", "forged", "damaged"),
            ("bad", "bad", "damaged"),
            ("later", "later", "newerFormat"), ("bad", "later", "newerFormat"),
        ] {
            var answer = ""
            do throws(SecretStoreError) {
                let pages: HeaderPages
                do { pages = try read(first, second) } catch {
                    Issue.record(error)
                    return
                }
                let (page, mac, _) = try pages.inForce { _ throws(SecretStoreError) in storeKey }
                answer = "\(page.generation)"
                #expect(mac == macs[page.generation == 2 ? "new" : "old"])
            } catch {
                answer = "\(error.code)"
            }
            #expect(answer == found, "\(first), \(second)")
        }
    }

    @Test("K-1: a header has 32 slots at the most, and is read as it was written")
    func slots() throws {
        var header = HeaderPage(storeID: [UInt8](1...16), fileSalt: [UInt8](17...32))
        header.firstSequence = 1 << 40
        header.classEpoch = 77
        for number in 1...32 as ClosedRange<UInt32> {
            #expect(try header.takeSlotID("store") == number)
            let cost = Argon2Parameters(memory: 8 + number, passes: number, lanes: 1)
            var slot = Slot(kind: .passphrase, target: .afterFirstUnlock, id: number, cost: cost)
            try slot.wrap(storeKey, under: storeKey, storeID: header.storeID)
            header.slots.append(slot)
        }
        try header.advanceFile(firstSequence: 1 << 41, "store")
        #expect(header.generation == 2 && header.fileGeneration == 2)
        #expect(header.fileSalt.count == 16 && header.fileSalt != [UInt8](17...32))
        let page = try header.encoded(storeKey)
        #expect(page.count == Layout.pageSize)
        #expect(try HeaderPage.decode(page) == .success(header))
        try header.demandRoom("store")
        header.slots.append(Slot(kind: .keyFile, target: .store, id: 33, cost: nil))
        #expect(header.slots[32].cost == Argon2Parameters(memory: 0, passes: 0, lanes: 0))
        #expect(throws: SecretStoreError.self) { try header.demandRoom("store") }
        #expect(try HeaderPage.decode(header.encoded(storeKey)) == .failure(.damaged))
        // Of another size, or with one byte that is another one.
        #expect(try HeaderPage.decode(Array(page.dropLast())) == .failure(.damaged))
        for place in [0, 7, 8, 12, 40, 95, 4_031, 4_032, 4_064, 4_095] {
            var bad = page
            bad[place] ^= 1
            #expect(try HeaderPage.decode(bad) == .failure(.damaged), "byte \(place)")
        }
    }
}
