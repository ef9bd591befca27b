import PortcullisCore
import PortcullisTesting
import Testing

@testable import GcryptKeystore

@Suite("The index of items", .timeLimit(.minutes(10)))
struct ItemIndexTests {
    private let spaces: [SecretNamespace]

    init() throws { spaces = try ["a", "bb", "ccc"].map { try SecretNamespace($0) } }

    private func entry(_ number: UInt64, size: UInt32 = 28) -> ItemIndex.Entry {
        ItemIndex.Entry(offset: number * 64, version: number, sealedSize: size, accessibility: 1)
    }

    @Test(
        "K-3: the index holds what a dictionary does, in every namespace",
        arguments: 1...3
    )
    func model(_ seed: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        var (index, model) = (ItemIndex(), [SecretName: UInt64]())
        for step in 1...4_000 as ClosedRange<UInt64> {
            let space = spaces[Int.random(in: 0..<3, using: &numbers)]
            let name = try SecretName("n\(Int.random(in: 0..<40, using: &numbers))", in: space)
            if Int.random(in: 0..<5, using: &numbers) < 3 {
                index.set(name, entry(step))
                model[name] = step
            } else {
                index.remove(name)
                model[name] = nil
            }
            if step % 700 == 0 { index.expect(times: 3) }
            if step % 900 == 0 { index.trim() }
            #expect(index.count == model.count)
            #expect(index[name]?.version == model[name])
        }
        for space in spaces {
            let names = model.keys.filter { $0.namespace == space }.map(\.name)
            #expect(index.names(in: space).sorted() == names.sorted())
        }
        let all = index.all
        #expect(all.map(\.entry.version) == model.values.sorted())
        #expect(all.allSatisfy { model[$0.name] == $0.entry.version })
        #expect(index.liveBytes == UInt64(model.count) * 128)
        for name in model.keys { index.remove(name) }
        #expect(index.count == 0 && index.liveBytes == 0 && index.all.isEmpty)
    }

    @Test(
        "K-4: an item counts as the frame that it would take alone, in steps of 64 bytes",
        arguments: [(28, 128), (45, 128), (46, 192), (109, 192), (110, 256)] as [(UInt32, UInt64)]
    )
    func footprint(_ size: UInt32, _ bytes: UInt64) throws {
        var index = ItemIndex()
        // 60 of the frame, 4 of the count, 17 of the record, and two names of one byte.
        let name = try SecretName("n", in: spaces[0])
        index.set(name, entry(1, size: size))
        #expect(index.liveBytes == bytes)
        index.set(name, entry(2, size: 28))
        #expect(index.liveBytes == 128)
    }

    @Test("K-9: two indices hold the same of a namespace where names and versions are equal")
    func same() throws {
        let (one, two) = (try SecretName("one", in: spaces[0]), try SecretName("two", in: spaces[0]))
        func index(_ items: [(SecretName, UInt64)]) -> ItemIndex {
            var index = ItemIndex()
            for (name, version) in items { index.set(name, entry(version)) }
            return index
        }
        let known = index([(one, 1), (two, 2)])
        for (items, isSame) in [
            ([(one, 1), (two, 2)], true), ([(two, 2), (one, 1)], true), ([(one, 1)], false),
            ([(one, 1), (two, 3)], false), ([(one, 1), (try SecretName("six", in: spaces[0]), 2)], false),
            ([], false),
        ] as [([(SecretName, UInt64)], Bool)] {
            let other = index(items)
            #expect(known.holdsTheSame(as: other, in: spaces[0]) == isSame, "\(items)")
            #expect(other.holdsTheSame(as: known, in: spaces[0]) == isSame, "\(items)")
            #expect(known.holdsTheSame(as: other, in: spaces[1]), "there is nothing in either")
        }
    }

    @Test("K-5: room that is not used is given back, and no item with it")
    func trimmed() throws {
        var index = ItemIndex()
        for number in 1...3_000 as ClosedRange<UInt64> {
            index.set(try SecretName("n\(number)", in: spaces[0]), entry(number))
        }
        index.expect(times: 8)
        for number in 1...2_990 as ClosedRange<UInt64> {
            index.remove(try SecretName("n\(number)", in: spaces[0]))
        }
        index.trim()
        #expect(index.all.map(\.entry.version) == Array(2_991...3_000))
        #expect(index[try SecretName("n3000", in: spaces[0])]?.offset == 3_000 * 64)
    }
}
