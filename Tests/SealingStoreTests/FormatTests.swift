import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealingStore

/// The bytes that lie below, and what is refused of others.
@Suite("The bytes below a sealing store (F-1)", .timeLimit(.minutes(5)))
struct SealingFormatTests {
    private func code(_ body: () throws -> Void) -> SecretStoreErrorCode? {
        do { try body() } catch { return (error as? SecretStoreError)?.code }
        return nil
    }

    @Test("F-1: base 64 for URLs is RFC 4648's, and other characters are none")
    func base64() {
        for (text, expected) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64URL.text(Array(text.utf8)) == expected)
            #expect(Base64URL.bytes(expected.utf8) == Array(text.utf8))
        }
        #expect(Base64URL.text([0xFB, 0xFF, 0xBF]) == "-_-_")
        let all = (0...255).map { UInt8($0) }
        #expect(Base64URL.bytes(Base64URL.text(all).utf8) == all)
        for bad in ["+", "/", "=", " ", "Zm9v\n", "é"] { #expect(Base64URL.bytes(bad.utf8) == nil) }
    }

    @Test("F-1: numbers are little-endian, and random bytes have their count and differ")
    func numbers() {
        var bytes: [UInt8] = [9]
        bytes.append(0x0102_0304 as UInt32)
        #expect(bytes == [9, 4, 3, 2, 1])
        #expect(bytes.number(UInt32.self, at: 1) == 0x0102_0304 && bytes.number(UInt16.self, at: 0) == 0x0409)
        #expect([UInt8](7 as UInt32) == [7, 0, 0, 0])
        for count in [0, 1, 8, 9, 16] { #expect([UInt8].random(count).count == count) }
        #expect([UInt8].random(16) != .random(16))
    }

    @Test("F-1: a value has its format, key, number and long name in front, and cut short it is damaged")
    func envelope() throws {
        let keys = try SealingKeys.made()
        let binding = Binding(kind: .item, name: [1, 2], accessibility: .afterFirstUnlock)
        let value = SecretBytes(copying: "value".utf8)
        for longName in [[], [5, 6, 7]] as [[UInt8]] {
            let sealed = try Envelope.seal(
                value,
                number: 258,
                under: keys.sealing,
                binding,
                longName: longName
            )
            let bytes = sealed.sealedBytes
            #expect(
                Array(bytes.prefix(15)) == [1, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, UInt8(longName.count), 0]
            )
            #expect(bytes.count == 15 + longName.count + 12 + 5 + 16)
            let envelope = try Envelope(sealed)
            #expect(envelope.key == 1 && envelope.number == 258 && envelope.name == longName)
            #expect(try envelope.open(keys.sealing.key, binding)?.matches(value) == true)
            for other in [
                Binding(kind: .floor, name: [1, 2], accessibility: .afterFirstUnlock),
                Binding(kind: .item, name: [1], accessibility: .afterFirstUnlock),
                Binding(kind: .item, name: [1, 2], accessibility: .whenUnlocked),
                Binding(kind: .item, name: [1, 2], accessibility: .afterFirstUnlockThisDeviceOnly),
            ] {
                #expect(try envelope.open(keys.sealing.key, other) == nil)
            }
            // Each byte counts.
            for place in bytes.indices where place > 0 {
                var altered = bytes
                altered[place] ^= 1
                let opened = try? Envelope(SecretBytes(copying: altered)).open(keys.sealing.key, binding)
                #expect((opened ?? nil) == nil, "byte \(place)")
            }
            for count in 0..<(bytes.count - 5) {
                #expect(code { _ = try Envelope(sealed.part(0..<count)) } == .damaged, "\(count) bytes")
            }
            #expect(code { _ = try Envelope(sealed.part(0..<bytes.count - 5)) } == nil)
        }
    }

    @Test(
        "F-1: a later format is told apart from bytes that were not sealed, and no number reaches the limit"
    )
    func limits() throws {
        let keys = try SealingKeys.made()
        let binding = Binding(kind: .item, name: [], accessibility: .afterFirstUnlock)
        for (bytes, expected) in [
            ([2] + [UInt8](repeating: 0, count: 14), .newerFormat),
            ([2] + [UInt8](repeating: 0, count: 13), .damaged),
            ([0] + [UInt8](repeating: 0, count: 50), .damaged),
        ] as [([UInt8], SecretStoreErrorCode)] {
            #expect(code { _ = try Envelope(SecretBytes(copying: bytes)) } == expected)
        }
        let last = Envelope.largestNumber - 1
        let sealed = try Envelope.seal(SecretBytes(copying: []), number: last, under: keys.sealing, binding)
        #expect(try Envelope(sealed).number == last)
        #expect(
            code {
                _ = try Envelope.seal(
                    SecretBytes(copying: []),
                    number: last + 1,
                    under: keys.sealing,
                    binding
                )
            } == .damaged
        )
        var forged = sealed.sealedBytes
        forged.replaceSubrange(5..<13, with: [0, 0, 0, 0, 0, 0, 0, 0x40])
        #expect(code { _ = try Envelope(SecretBytes(copying: forged)) } == .damaged)
    }

    @Test(
        "F-1: the keys' item opens under each of its wrapping keys, and altered, cut short or later it is refused"
    )
    func keyring() throws {
        let wrapping = [SecretBytes(randomCount: 32), SecretBytes(randomCount: 32)]
        let other = SecretBytes(randomCount: 32)
        let item = try KeyringItem.made(under: wrapping)
        let value = try item.value()
        let bytes = value.sealedBytes
        #expect(bytes[0] == 1 && bytes.number(UInt64.self, at: 1) == 1 && bytes[9] == 2)
        #expect(bytes.count == 10 + 2 * 76 + 12 + 72 + 16)
        for key in wrapping {
            // Keys that do not fit, also of another length, do no harm.
            for keys in [[key], [other, key], [SecretBytes(randomCount: 31), key]] {
                let found = try KeyringItem(value, under: keys)
                #expect(found.generation == 1 && found.keys.nameKey.matches(item.keys.nameKey))
                #expect(found.keys.current == 1 && found.keys.valueKeys.count == 1)
            }
        }
        for keys in [[other], []] { #expect(code { _ = try KeyringItem(value, under: keys) } == .wrongKey) }
        for place in bytes.indices where place > 0 {
            var altered = bytes
            altered[place] ^= 1
            let found = code { _ = try KeyringItem(SecretBytes(copying: altered), under: [wrapping[0]]) }
            #expect(found == .damaged || found == .wrongKey, "byte \(place)")
            if place < 10 || place >= 26 { #expect(found == .damaged || place == 9, "byte \(place)") }
        }
        for count in 0..<bytes.count {
            let cut = value.part(0..<count)
            #expect(code { _ = try KeyringItem(cut, under: wrapping) } == .damaged, "\(count) bytes")
        }
        var later = bytes
        later[0] = 2
        #expect(code { _ = try KeyringItem(SecretBytes(copying: later), under: wrapping) } == .newerFormat)
    }

    @Test("F-1: one to sixteen wrapping keys of 32 bytes are taken")
    func wrappingKeys() throws {
        func keys(_ count: Int, _ size: Int = 32) -> [SecretBytes] {
            (0..<count).map { _ in SecretBytes(randomCount: size) }
        }
        for count in [1, 16] {
            let all = keys(count)
            let value = try KeyringItem.made(under: all).value()
            #expect(try KeyringItem(value, under: [all[count - 1]]).generation == 1)
        }
        for wrong in [keys(0), keys(17), keys(1, 31), keys(1, 33), keys(2) + keys(1, 16)] {
            #expect(code { _ = try KeyringItem.made(under: wrong) } == .wrongKey)
        }
    }

    @Test("F-1: keys are kept with their ids, up to a thousand, and content of another form is damaged")
    func keys() throws {
        var keys = try SealingKeys.made()
        try keys.addValueKey()
        #expect(keys.current == 2 && keys.sealing.id == 2)
        let content = keys.content
        #expect(content.count == 32 + 4 + 2 * 36)
        let found = try SealingKeys(content)
        #expect(found.current == 2 && found.valueKeys.keys.sorted() == [1, 2])
        for (id, key) in keys.valueKeys { #expect(found.valueKeys[id]?.raw.matches(key.raw) == true) }
        #expect(found.nameKey.matches(keys.nameKey))
        for count in [0, 36, 71, 73, 107] {
            #expect(code { _ = try SealingKeys(content.part(0..<count)) } == .damaged, "\(count)")
        }
        var lacking = content.sealedBytes
        lacking[32] = 3
        #expect(code { _ = try SealingKeys(SecretBytes(copying: lacking)) } == .damaged)
        for _ in 0..<998 { try keys.addValueKey() }
        #expect(code { try keys.addValueKey() } == .tooLarge)
        #expect(keys.valueKeys.count == 1000 && keys.current == 1000)
    }

    @Test("F-1: a name is found again under its name below, and belongs nowhere else")
    func names() throws {
        let seal = try NameSeal(SecretBytes(copying: [UInt8](repeating: 3, count: 32)))
        let (one, two) = (try SecretNamespace("one"), try SecretNamespace("two"))
        #expect(try seal.space(one) != seal.space(two) && seal.space(one) != seal.ownSpace("one"))
        #expect(try seal.space(one).rawValue.utf8.count == 43)
        for count in [1, 356, 357] {
            let name = try SecretName(String(repeating: "n", count: count), in: one)
            let place = try seal.place(of: name)
            #expect(place.isLong == (count > 356) && NameSeal.isLong(place.name) == place.isLong)
            #expect(try seal.place(of: name).name == place.name && place.name.namespace == seal.space(one))
            #expect((0..<NameSeal.buckets).contains(place.bucket))
            if place.isLong {
                #expect(try seal.name(seal.sealed(name), of: place.name, in: one) == name)
            } else {
                #expect(try seal.name(place.name, in: one) == name)
                #expect(code { _ = try seal.name(place.name, in: two) } == .damaged)
            }
            let elsewhere = try SecretName(place.name.name, in: seal.space(two))
            #expect(code { _ = try seal.name(elsewhere, in: one) } == .damaged)
        }
        let places = try (0..<200).map { try seal.place(of: SecretName("item\($0)", in: one)) }
        #expect(Set(places.map(\.tag)).count == 200 && Set(places.map(\.bucket)).count > 150)
        for count in [0, 11, 27] {
            let name = try SecretName("x", in: seal.space(one))
            #expect(
                code { _ = try seal.name([UInt8](repeating: 1, count: count), of: name, in: one) } == .damaged
            )
        }
        #expect(NameSeal.bound(try SecretName("b", in: SecretNamespace("a"))) == [1, 97, 98])
    }
}

@Suite("The numbers that a client remembers (F-1)", .timeLimit(.minutes(1)))
struct SeenNumbersTests {
    private func tag(_ number: UInt64) -> NameTag { NameTag(first: number, second: number &* 7) }

    @Test("F-1: the highest number stays, a removal outlasts its item, and the first version stays")
    func order() {
        let seen = SeenNumbers(limit: 10)
        let item = tag(1)
        #expect(seen[item] == nil)
        seen.note(item, number: 5, version: SecretVersion(50))
        seen.note(item, number: 4, version: SecretVersion(60))
        #expect(seen[item]?.number == 5 && seen[item]?.version == 50 && seen[item]?.isThere == true)
        seen.note(item, number: 5, version: nil)
        #expect(seen[item]?.version == 50)
        seen.note(item, number: 5, version: SecretVersion(51))
        #expect(seen[item]?.version == 50)
        seen.noteRemoval(item, of: 4)
        #expect(seen[item]?.isThere == true)
        seen.noteRemoval(item, of: 5)
        #expect(seen[item]?.isThere == false && seen[item]?.version == 0)
        seen.note(item, number: 5, version: SecretVersion(52))
        #expect(seen[item]?.isThere == false)
        seen.note(item, number: 6, version: nil)
        #expect(seen[item]?.isThere == true && seen[item]?.number == 6)
    }

    @Test(
        "F-1: at least as many names are remembered as the limit says, those used last, and at most twice as many"
    )
    func forgetting() {
        let seen = SeenNumbers(limit: 3)
        for number in 1...3 as ClosedRange<UInt64> { seen.note(tag(number), number: 1, version: nil) }
        #expect((1...3).allSatisfy { seen[tag($0)] != nil })
        // The fourth begins another half; the first one is used meanwhile.
        seen.note(tag(4), number: 1, version: nil)
        seen.note(tag(5), number: 1, version: nil)
        #expect(seen[tag(1)]?.number == 1)
        seen.note(tag(6), number: 1, version: nil)
        seen.note(tag(7), number: 1, version: nil)
        #expect(seen[tag(1)] != nil && seen[tag(5)] != nil && seen[tag(6)] != nil && seen[tag(7)] != nil)
        for number in 2...4 as ClosedRange<UInt64> { #expect(seen[tag(number)] == nil, "\(number)") }
    }

    @Test("F-1: names with new numbers are taken once, and again if they could not be stored")
    func unkept() {
        let seen = SeenNumbers(limit: 10)
        seen.note(tag(1), number: 1, version: nil)
        #expect(seen.takeUnkept().isEmpty, "nothing is collected yet")
        seen.beginKeeping()
        seen.note(tag(1), number: 1, version: nil)
        seen.note(tag(1), number: 1, version: SecretVersion(9))
        seen.note(tag(1), number: 1, version: SecretVersion(9))
        #expect(seen.takeUnkept().isEmpty, "nothing is new")
        #expect(seen[tag(1)]?.version == 9)
        seen.note(tag(1), number: 2, version: nil)
        seen.noteRemoval(tag(2), of: 3)
        #expect(seen.takeUnkept() == [tag(1), tag(2)])
        seen.noteRemoval(tag(1), of: 2)
        #expect(seen.takeUnkept() == [tag(1)], "that an item is gone is new")
        #expect(seen.takeUnkept().isEmpty)
        seen.putBack([tag(1)])
        seen.note(tag(3), number: 1, version: nil)
        #expect(seen.takeUnkept() == [tag(1), tag(3)])
    }

    @Test("F-1: a floor gives numbers above all earlier ones, and has the marks of the items that were made")
    func floors() {
        let (one, two) = (tag(1), tag(2))
        var floor = Floor(number: 5, version: nil)
        #expect(floor.condition == .absent)
        // What was never made, or made after the floor, was not removed.
        #expect(floor.showsRemoval(of: 5, of: one) && !floor.showsRemoval(of: 6, of: one))
        #expect(floor.draw(for: one, above: 2) == 6 && floor.number == 6)
        #expect(floor.draw(for: two, above: 9) == 10 && floor.number == 10)
        // An item with the name before was removed; this one is not, whatever its number is by now.
        #expect(floor.showsRemoval(of: 5, of: one))
        for number in [6, 10, 11] as [UInt64] { #expect(!floor.showsRemoval(of: number, of: one)) }
        let removals = [floor.note(removalOf: 30, of: two), floor.note(removalOf: 30, of: two)]
        #expect(removals == [true, false] && floor.number == 30)
        #expect(floor.showsRemoval(of: 30, of: two) && !floor.showsRemoval(of: 31, of: two))
        #expect(!floor.showsRemoval(of: 6, of: one))
        // A mark that is there stays, and a low number is removed like another.
        #expect(floor.draw(for: one, above: 0) == 31 && !floor.showsRemoval(of: 6, of: one))
        let last = floor.note(removalOf: 7, of: one)
        #expect(last && floor.number == 32 && floor.showsRemoval(of: 31, of: one))
        #expect(Floor(number: 1, version: SecretVersion(4)).condition == .version(SecretVersion(4)))
    }

    @Test("F-1: a floor's marks are read as they were written, and bytes of another form are refused")
    func floorBytes() throws {
        var floor = Floor(number: 5, version: nil)
        #expect(floor.value.sealedBytes == [2])
        for number in 0..<50 as Range<UInt64> { _ = floor.draw(for: tag(number), above: 0) }
        let bytes = floor.value.sealedBytes
        #expect(bytes.count == 1 + 50 * 16)
        func read(_ bytes: [UInt8]) throws(SecretStoreError) -> Floor {
            try Floor(SecretBytes(copying: bytes), number: 55, version: SecretVersion(1))
        }
        let found = try read(bytes)
        for number in 0..<50 as Range<UInt64> {
            #expect(found.showsRemoval(of: 5 + number, of: tag(number)))
            #expect(!found.showsRemoval(of: 6 + number, of: tag(number)))
        }
        #expect(found.showsRemoval(of: 55, of: tag(50)) && !found.showsRemoval(of: 56, of: tag(50)))
        for (bytes, code) in [
            ([], .damaged), ([1], .damaged), (Array(bytes.dropLast()), .damaged), ([3], .newerFormat),
            ([UInt8](repeating: 0, count: 8), .damaged), ([2] + [UInt8](repeating: 0, count: 7), .damaged),
        ] as [([UInt8], SecretStoreErrorCode)] {
            let error = #expect(throws: SecretStoreError.self) { _ = try read(bytes) }
            #expect(error?.code == code, "\(bytes.count) bytes")
        }
    }
}

extension SeenNumbers {
    /// Notes a value of which nothing but its number and version is known.
    fileprivate func note(_ tag: NameTag, number: UInt64, version: SecretVersion?) {
        note(tag, Seen(number: number, version: version?.rawValue ?? 0, isThere: true))
    }
}
