import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

@Suite("A file of 20 items with any byte flipped, and cut anywhere", .timeLimit(.minutes(60)))
struct AlteredFileTests {
    /// A store's disk, what it holds, and where its frames lie.
    private struct Known {
        var image = DiskImage()
        var items: [String: String] = [:]
        /// The end of the file after each commit, the making of the store first.
        var ends: [Int] = []
        var bytes: [UInt8] { image[Setup.path] ?? [] }

        func disk(_ bytes: [UInt8]) -> SimulatedDisk {
            var image = image
            image[Setup.path] = bytes
            return SimulatedDisk(image)
        }

        /// Where what holds this byte begins: a header page or a frame.
        func start(of place: Int) -> Int {
            place < 8192 ? place / 4096 * 4096 : ([8192] + ends).last { $0 <= place } ?? 8192
        }
    }

    private func known(anchored: Bool = false, slots: Int = 1) async throws -> Known {
        var known = Known()
        let disk = SimulatedDisk()
        let store = try await Setup.open(disk, anchored: anchored)
        for _ in 1..<slots { _ = try await store.addSlot(.rawKey(Setup.secondKey)) }
        known.ends.append(disk.image[Setup.path]?.count ?? 0)
        for index in 0..<20 {
            let value = "value \(index)"
            try await store.put(value, "item\(index)", Accessibility.allCases[index % 4])
            known.items["item\(index)"] = value
            known.ends.append(disk.image[Setup.path]?.count ?? 0)
        }
        await store.close()
        known.image = disk.image
        return known
    }

    /// Demands that a store holds every item, each with its value or as damaged; returns how many are.
    private func demandNothingWrong(
        _ store: GcryptKeystore,
        _ items: [String: String],
        _ what: String
    ) async throws -> Int {
        var damaged = 0
        for (item, value) in items {
            let name = try name(item)
            do throws(SecretStoreError) {
                let found = try await store.read(name)
                #expect(text(found?.value) == value, "\(what): \(item)")
            } catch {
                #expect(error.code == .damaged, "\(what): \(item): \(error)")
                damaged += 1
            }
        }
        return damaged
    }

    /// The bytes, with one bit of each flipped; all bits, one after the other, in the long form.
    ///
    /// - Parameter turn: where many things are done with each of them, one bit of each byte is enough: another one in each
    ///   turn.
    private func flips(
        _ bytes: [UInt8],
        turn: Int? = nil
    ) -> some Sequence<(place: Int, bit: Int, bytes: [UInt8])> {
        let all = Torture.isOn && turn == nil ? 8 : 1
        // One at a time: all of them together would fill the memory.
        return stride(from: 0, to: bytes.count, by: Torture.every(23)).lazy.flatMap { place in
            (0..<all).lazy.map { bit in
                var bad = bytes
                bad[place] ^= 1 << ((place + bit + (turn ?? 0)) % 8)
                return (place, bit, bad)
            }
        }
    }

    @Test("K-6: a flipped bit is damage of its page or frame; opening never gives less or something else")
    func opened() async throws {
        let known = try await known()
        for (place, _, bytes) in flips(known.bytes) {
            let disk = known.disk(bytes)
            do {
                let store = try await Setup.open(disk)
                #expect(place < 8192, "byte \(place) went unnoticed")
                #expect(try await demandNothingWrong(store, known.items, "byte \(place)") == 0)
            } catch let error as SecretStoreError {
                #expect(place >= 8192 && error.code == .damaged, "byte \(place): \(error)")
            }
            #expect(disk.image[Setup.path] == bytes, "byte \(place): the file was changed")
        }
    }

    @Test("K-6: a check names the page or frame of a flipped bit, and a salvage saves all others")
    func checked() async throws {
        let known = try await known()
        for (index, (place, bit, bytes)) in flips(known.bytes).enumerated() {
            let disk = known.disk(bytes)
            let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
            let start = UInt64(known.start(of: place))
            #expect(report.damage.contains { $0.offset == start }, "byte \(place): \(report.damage)")
            // The bits of a byte damage the same page or frame, as the report has just said.
            guard bit == 0, index % Torture.every(5) == 0 else { continue }
            _ = try await GcryptKeystore.salvage(Setup.configuration(), to: Setup.rescued, files: disk)
            #expect(disk.image[Setup.path] == bytes, "byte \(place): the file was changed")
            var configuration = Setup.configuration()
            configuration.path = Setup.rescued
            let store = try await GcryptKeystore.open(configuration, files: disk)
            let names = try await store.names(in: SecretNamespace("tests"))
            // The frame behind is bound to the tag of the one before.
            let isTag = known.ends.contains { $0 - 16..<$0 ~= place }
            #expect(names.count >= known.items.count - (isTag ? 2 : 1), "byte \(place)")
            let kept = known.items.filter { item in names.contains { $0.name == item.key } }
            #expect(try await demandNothingWrong(store, kept, "salvage of byte \(place)") == 0)
        }
    }

    @Test(
        "K-5, K-6: behind the frames there may be room: a flipped bit is noticed or does no harm, a cut does none"
    )
    func room() async throws {
        let known = try await Setup.$growth.withValue(8192) { try await self.known() }
        let end = try await Int(
            GcryptKeystore.check(Setup.configuration(), files: known.disk(known.bytes)).bytes
        )
        let room = known.bytes.count - end
        #expect(room > 0 && known.bytes[end...].allSatisfy { $0 == 0 })
        for place in stride(from: end, to: known.bytes.count, by: Torture.every(97)) {
            var bytes = known.bytes
            bytes[place] ^= 1 << (place % 8)
            let disk = known.disk(bytes)
            let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
            #expect(report.unfinishedTail || report.damage.map(\.offset) == [UInt64(end)], "byte \(place)")
            do {
                let store = try await Setup.open(disk)
                #expect(report.damage.isEmpty, "byte \(place)")
                #expect(try await demandNothingWrong(store, known.items, "byte \(place)") == 0)
                try await store.put("after", "after")
                await store.close()
                let again = try await Setup.open(disk)
                #expect(try await again.get("after") == "after", "byte \(place)")
                #expect(try await demandNothingWrong(again, known.items, "byte \(place), written") == 0)
            } catch let error as SecretStoreError {
                #expect(error.code == .damaged && !report.damage.isEmpty, "byte \(place): \(error)")
            }
        }
        for length in stride(from: end, to: known.bytes.count, by: Torture.every(37)) {
            let disk = known.disk(Array(known.bytes[..<length]))
            let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
            #expect(report.damage.isEmpty && !report.unfinishedTail, "cut at \(length)")
            let store = try await Setup.open(disk)
            #expect(try await demandNothingWrong(store, known.items, "cut at \(length)") == 0)
            try await store.put("after", "after")
            #expect(try await Setup.open(disk).get("after") == "after", "cut at \(length)")
        }
    }

    @Test(
        "K-6: a bit flipped under an open store makes no operation give or keep something else",
        arguments: Operation.all.filter { $0.takesOpenStore && !$0.isSealed && $0.title != "read" }
    )
    func underHandle(_ operation: Operation) async throws {
        var known = try await known(slots: 2)
        known.image[Setup.backup] = try await Setup.disk()[Setup.backup]
        let turn = Operation.all.firstIndex { $0.title == operation.title }
        for (index, (place, _, bytes)) in flips(known.bytes, turn: turn).enumerated()
        where Torture.isOn || (index + operation.title.utf8.count) % 11 == 0 {
            let what = "\(operation.title), byte \(place)"
            let disk = known.disk(known.bytes)
            let store = try await Setup.open(disk)
            disk.replace(Setup.path, with: bytes)
            do {
                try await operation.run(store, disk, false)
            } catch let error as SecretStoreError {
                #expect([.damaged, .wrongKey].contains(error.code), "\(what): \(error)")
            } catch is Operation.Wrong {
                // It looked for what another store holds.
            }
            _ = try await demandNothingWrong(store, known.items, what)
            await store.close()
            do {
                let again = try await Setup.open(disk)
                if again.isSealed { try await again.unlock(with: .rawKey(Setup.sealingKey)) }
                _ = try await demandNothingWrong(again, known.items, "\(what), opened again")
            } catch let error as SecretStoreError {
                #expect(error.code == .damaged, "\(what), opened again: \(error)")
            }
        }
    }

    @Test("K-5, K-6: a file cut at any length holds the commits before the cut, and the next write stands")
    func cut() async throws {
        let known = try await known()
        for length in stride(from: 0, to: known.bytes.count, by: Torture.every(29)) {
            let disk = known.disk(Array(known.bytes[..<length]))
            let commits = known.ends.count { $0 <= length } - 1
            do {
                let store = try await Setup.open(disk)
                let names = try await store.names(in: SecretNamespace("tests"))
                #expect(names.count == commits, "cut at \(length)")
                let kept = known.items.filter { item in names.contains { $0.name == item.key } }
                #expect(try await demandNothingWrong(store, kept, "cut at \(length)") == 0)
                let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
                #expect(report.damage.isEmpty, "cut at \(length): \(report.damage)")
                #expect(report.unfinishedTail == !known.ends.contains(length), "cut at \(length)")
                try await store.put("after", "after")
                await store.close()
                #expect(try await Setup.open(disk).get("after") == "after", "cut at \(length)")
            } catch let error as SecretStoreError {
                #expect(commits < 0 && error.code == .damaged, "cut at \(length): \(error)")
            }
        }
    }

    @Test("K-6: with an anchor a file cut at any length is rolledBack or damaged")
    func cutWithAnchor() async throws {
        let known = try await known(anchored: true)
        for length in stride(from: 0, to: known.bytes.count, by: Torture.every(101)) {
            let disk = known.disk(Array(known.bytes[..<length]))
            let found = await code { try await Setup.open(disk, anchored: true) }
            let isWhole = known.ends[0] <= length
            #expect(
                found == .rolledBack || (found == .damaged && !isWhole),
                "cut at \(length): \(String(describing: found))"
            )
        }
    }

    @Test(
        "K-6, K-7: a file cut under an open store is damage, for every operation that looks at it",
        arguments: Operation.all.filter(\.takesOpenStore)
    )
    func cutUnderHandle(_ operation: Operation) async throws {
        let known = try await known()
        for length in stride(from: 0, to: known.bytes.count, by: Torture.every(997)) {
            let disk = known.disk(known.bytes)
            let store = try await Setup.open(disk)
            disk.replace(Setup.path, with: Array(known.bytes[..<length]))
            let found = await code { try await operation.run(store, disk, false) }
            // Its own faults come first: an absent backup, say.
            #expect(
                found == .damaged || found == .systemFailure,
                "cut at \(length): \(String(describing: found))"
            )
            #expect(disk.image[Setup.path]?.count == length, "cut at \(length)")
        }
    }

    @Test("K-6, K-9: a flipped bit of a backup, and a cut one, are refused")
    func backup() async throws {
        let known = try await known()
        let disk = SimulatedDisk(known.image)
        let store = try await Setup.open(disk)
        _ = try await store.export(to: Setup.backup, passphrase: secret("bp"))
        let good = try #require(disk.image[Setup.backup])
        let before = disk.image[Setup.path]
        let cuts = stride(from: 0, to: good.count, by: Torture.every(23)).lazy.map {
            (place: $0, bytes: Array(good[..<$0]))
        }
        for (place, _, bytes) in flips(good) { try await refuse(place, bytes) }
        for (place, bytes) in cuts { try await refuse(place, bytes) }
        func refuse(_ place: Int, _ bytes: [UInt8]) async throws {
            disk.replace(Setup.backup, with: bytes)
            let found = await code {
                try await store.import(from: Setup.backup, passphrase: secret("bp"))
            }
            let refusals: [SecretStoreError.Code] = [.wrongKey, .damaged, .newerFormat]
            #expect(found.map(refusals.contains) == true, "byte \(place): \(String(describing: found))")
        }
        #expect(disk.image[Setup.path] == before)
    }
}
