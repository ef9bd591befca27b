internal import CGcrypt
import GcryptKeystore
import PortcullisCore
import Testing

/// What somebody could do who may write the file but has no key: put together again what was there.
@Suite("Frames and pages put together differently", .timeLimit(.minutes(60)))
struct RearrangedTests {
    private static let frames = 6

    /// A store's file and where the frame of each commit ends; the first end is that of the store's making.
    private struct Known {
        var image: DiskImage
        var ends: [Int] = []
        var bytes: [UInt8] { image[Setup.path] ?? [] }
        var start: ArraySlice<UInt8> { bytes[..<ends[0]] }
        /// The frame of a commit, numbered from 0.
        func frame(_ index: Int) -> ArraySlice<UInt8> { bytes[ends[index]..<ends[index + 1]] }
    }

    private func write(
        _ count: Int,
        _ disk: SimulatedDisk,
        _ value: String,
        ends: [Int]? = nil
    ) async throws -> Known {
        let store = try await Setup.open(disk)
        var ends = ends ?? [disk.image[Setup.path]?.count ?? 0]
        for _ in 0..<count {
            // All of one size, so that nothing but the seals can tell them apart.
            try await store.put("\(value) \(ends.count)", "item\(ends.count)")
            ends.append(disk.image[Setup.path]?.count ?? 0)
        }
        await store.close()
        return Known(image: disk.image, ends: ends)
    }

    private func known() async throws -> Known { try await write(Self.frames, SimulatedDisk(), "value") }

    /// Demands that opening and checking name the frame where the file stops being what it was.
    private func demandDamage(_ known: Known, _ bytes: [UInt8], from place: Int, _ what: String) async throws
    {
        var image = known.image
        image[Setup.path] = bytes
        let disk = SimulatedDisk(image)
        // The frame of the store's making has the number 1.
        let number = place + 2
        let offset = known.ends[place]
        do {
            _ = try await Setup.open(disk)
            Issue.record("\(what): it opened")
        } catch let error as SecretStoreError {
            #expect(error.code == .damaged, "\(what): \(error)")
            #expect(error.message.contains("(frame \(number), offset \(offset))"), "\(what): \(error)")
        }
        let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
        let first = try #require(report.damage.first, "\(what)")
        #expect((first.frame, first.offset) == (UInt64(number), UInt64(offset)), "\(what): \(report.damage)")
        #expect(disk.image[Setup.path] == bytes, "\(what): the file was changed")
    }

    @Test("K-6: two frames that changed places are damage, named by the first of them")
    func swapped() async throws {
        let known = try await known()
        for first in 0..<Self.frames - 1 {
            for second in first + 1..<Self.frames {
                var order = Array(0..<Self.frames)
                order.swapAt(first, second)
                let bytes = known.start + order.flatMap { known.frame($0) }
                try await demandDamage(known, Array(bytes), from: first, "\(order)")
            }
        }
    }

    @Test("K-6: a frame that occurs twice is damage where it occurs again, at any place and at the end")
    func duplicated() async throws {
        let known = try await known()
        for frame in 0..<Self.frames {
            for place in frame + 1...Self.frames {
                var order = Array(0..<Self.frames)
                order.insert(frame, at: place)
                let bytes = known.start + order.flatMap { known.frame($0) }
                try await demandDamage(known, Array(bytes), from: place, "\(order)")
            }
        }
    }

    @Test("K-6: frames taken out before the last one are damage where the first of them was")
    func removed() async throws {
        let known = try await known()
        for first in 0..<Self.frames - 1 {
            for count in 1..<Self.frames - first {
                var order = Array(0..<Self.frames)
                order.removeSubrange(first..<first + count)
                let bytes = known.start + order.flatMap { known.frame($0) }
                try await demandDamage(known, Array(bytes), from: first, "\(order)")
            }
        }
    }

    @Test("K-6: frames in any other order are damage from the first that is out of place")
    func reordered() async throws {
        let known = try await known()
        var generator = Seeded(state: 11)
        for _ in 0..<Torture.tries(short: 40, long: 720) {
            let order = (0..<Self.frames).shuffled(using: &generator)
            guard let place = order.indices.first(where: { order[$0] != $0 }) else { continue }
            let bytes = known.start + order.flatMap { known.frame($0) }
            try await demandDamage(known, Array(bytes), from: place, "\(order)")
        }
    }

    @Test("K-2, K-6: a frame of another store with the same key and the same history is damage")
    func otherStore() async throws {
        let (known, other) = (try await known(), try await known())
        #expect(known.ends == other.ends)
        for place in 0..<Self.frames {
            let bytes = known.start + (0..<Self.frames).flatMap { ($0 == place ? other : known).frame($0) }
            try await demandDamage(known, Array(bytes), from: place, "frame \(place)")
        }
    }

    @Test("K-6: a frame from before a compaction is damage in the file that came out of it")
    func olderGeneration() async throws {
        let known = try await known()
        let disk = SimulatedDisk(known.image)
        let store = try await Setup.open(disk)
        try await store.compact()
        await store.close()
        let end = disk.image[Setup.path]?.count ?? 0
        for frame in 0..<Self.frames {
            var image = disk.image
            image[Setup.path]? += known.frame(frame)
            let again = SimulatedDisk(image)
            let report = try await GcryptKeystore.check(Setup.configuration(), files: again)
            #expect(report.damage.map(\.offset) == [UInt64(end)], "frame \(frame)")
            #expect(await code { try await Setup.open(again) } == .damaged, "frame \(frame)")
        }
    }

    @Test(
        "K-6: frames of two copies that went different ways do not fit together; with an anchor, one is rolledBack"
    )
    func forks() async throws {
        let start = try await write(2, SimulatedDisk(), "start")
        let one = try await write(3, SimulatedDisk(start.image), "one", ends: start.ends)
        let two = try await write(3, SimulatedDisk(start.image), "two", ends: start.ends)
        #expect(one.ends == two.ends)
        let bytes = Array(one.bytes[..<one.ends[3]] + two.bytes[two.ends[3]...])
        try await demandDamage(one, bytes, from: 3, "the second copy's frames behind the first's")

        // A whole copy in the place of the other is a file that the store could have written: only an anchor knows.
        let disk = SimulatedDisk(one.image)
        await (try await Setup.open(disk, anchored: true)).close()
        disk.replace(Setup.path, with: two.bytes)
        #expect(await code { try await Setup.open(disk, anchored: true) } == .rolledBack)
    }

    @Test("K-2: passphrase slots put in that would take hours to try are damage before any is tried")
    func addedSlots() async throws {
        var phrase = Setup.configuration()
        phrase.credential = .passphrase(secret("phrase"))
        let disk = SimulatedDisk()
        let store = try await Setup.open(disk)
        _ = try await store.addSlot(.passphrase(secret("phrase")))
        await store.close()
        var bad = try #require(disk.image[Setup.path])
        // Two slots behind the four that there are, of 1 GiB and 32 passes each.
        for slot in 4...5 {
            let place = 96 + slot * 96
            bad.replaceSubrange(place..<place + 96, with: bad[384..<480])
            bad.replaceSubrange(place + 8..<place + 20, with: [0, 0, 16, 0, 32, 0, 0, 0, 1, 0, 0, 0])
        }
        bad[80] = 6
        Self.renewDigest(&bad, 0)
        disk.replace(Setup.path, with: bad)
        // The right one comes first, and page B would open the store.
        #expect(await code { try await GcryptKeystore.open(phrase, files: disk) } == .damaged)
        #expect(await code { try await Setup.open(disk) } == nil)
        #expect(disk.image[Setup.path] == bad)
    }

    @Test("K-2: Argon2id numbers edited in one header page or both, with a right digest, open nothing")
    func editedNumbers() async throws {
        var phrase = Setup.configuration()
        phrase.credential = .passphrase(secret("phrase"))
        let disk = SimulatedDisk()
        let store = try await Setup.open(disk)
        try await store.put("v", "item")
        _ = try await store.addSlot(.passphrase(secret("phrase")))
        await store.close()
        let good = try #require(disk.image[Setup.path])
        // The passphrase's slot came last of four; its memory, passes and lanes begin at its byte 8.
        let numbers = 96 + 3 * 96 + 8
        #expect(good[numbers - 8] == 1 && good[numbers] == 64)
        for (place, value, isSane) in [
            (numbers, UInt8(65), true), (numbers + 4, 2, true), (numbers + 4, 0, false),
            (numbers + 3, 255, false),
            (numbers + 8, 2, true),
        ] {
            for pages in [[0], [4096], [0, 4096]] {
                let what = "byte \(place) in \(pages)"
                var bad = good
                for page in pages {
                    bad[page + place] = value
                    Self.renewDigest(&bad, page)
                }
                disk.replace(Setup.path, with: bad)
                let byPhrase = await code { try await GcryptKeystore.open(phrase, files: disk) }
                let byKey = await code { try await Setup.open(disk) }
                // Page A is in force; the other one opens the store where a key tells that A was edited.
                #expect(byPhrase == (pages == [4096] ? nil : isSane ? .wrongKey : .damaged), "\(what)")
                #expect(byKey == (pages.count == 2 ? .damaged : nil), "\(what)")
                #expect(disk.image[Setup.path] == bad, "\(what): the file was changed")
                guard pages.count == 1 else { continue }
                let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
                #expect(report.damage.map(\.offset) == pages.map { UInt64($0) }, "\(what)")
                let store = try await Setup.open(disk)
                try await store.put("w", "item")
                await store.close()
                #expect(disk.image[Setup.path]?.prefix(8192) == good.prefix(8192), "\(what): not mended")
            }
        }
    }

    @Test(
        "K-1, K-6: old header pages put back, with the frames of today or alone, bring no removed slot back",
        arguments: [KeystoreCredential.rawKey(Setup.secondKey), Setup.phrase]
    )
    func oldPages(_ credential: KeystoreCredential) async throws {
        let disk = SimulatedDisk()
        let store = try await Setup.open(disk)
        let slot = try await store.addSlot(credential)
        try await store.put("v", "item")
        let old = try #require(disk.image[Setup.path])
        try await store.removeSlot(slot.id)
        await store.close()
        let now = try #require(disk.image[Setup.path])
        let second = Setup.configuration(credential)
        #expect(await code { try await GcryptKeystore.open(second, files: disk) } == .wrongKey)
        for pages in [[0], [4096], [0, 4096]] {
            var bad = now
            for page in pages { bad.replaceSubrange(page..<page + 4096, with: old[page..<page + 4096]) }
            disk.replace(Setup.path, with: bad)
            let bySecond = await code { try await GcryptKeystore.open(second, files: disk) }
            #expect(bySecond == (pages.count == 1 ? .wrongKey : .damaged), "\(pages)")
            let byFirst = await code { try await Setup.open(disk) }
            #expect(byFirst == (pages.count == 1 ? nil : .damaged), "\(pages)")
            let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
            #expect(
                report.damage.map(\.message) == (pages.count == 1 ? [] : ["an old header page was put back"]),
                "\(pages)"
            )
        }
    }

    /// Makes a changed page's SHA-256 right, as anyone can.
    private static func renewDigest(_ bytes: inout [UInt8], _ page: Int) {
        var digest = [UInt8](repeating: 0, count: 32)
        let covered = Array(bytes[page..<page + 4064])
        unsafe gcry_md_hash_buffer(CInt(GCRY_MD_SHA256.rawValue), &digest, covered, covered.count)
        bytes.replaceSubrange(page + 4064..<page + 4096, with: digest)
    }
}
