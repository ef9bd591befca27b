import PortcullisCore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The core's small values at their bounds", .timeLimit(.minutes(5)))
struct CoreValuesTests {
    @Test("K-2: a namespace has 1 to 128 bytes of printable ASCII without spaces")
    func namespaces() throws {
        for text in ["", " ", "a b", "a\u{7F}", "\u{1F}", "é", String(repeating: "n", count: 129)] {
            let error = #expect(throws: SecretStoreError.self) { try SecretNamespace(text) }
            #expect(error?.code == .invalidName, "\(text.debugDescription)")
        }
        for text in ["!", "~", "..", "a/b", String(repeating: "n", count: 128)] {
            #expect(try SecretNamespace(text).rawValue == text)
        }
    }

    @Test("X-5: the library's namespaces begin with its name and a full stop, and no others are its own")
    func libraryNamespaces() throws {
        #expect(SecretNamespace.library("passcode").rawValue == "portcullis.passcode")
        for (text, isOurs) in [
            ("portcullis.", true), ("portcullis.x", true), ("portcullis", false), ("portcullisx", false),
            ("Portcullis.x", false), ("x.portcullis.x", false),
        ] { #expect(try SecretNamespace(text).isLibraryOwned == isOurs, "\(text)") }
    }

    @Test("K-2: names are ordered and told apart by namespace and then by their bytes")
    func order() throws {
        let (a, b) = (try SecretNamespace("a"), try SecretNamespace("b"))
        let sorted = [
            try SecretName("Z", in: a), try SecretName("a", in: a), try SecretName("aa", in: a),
            try SecretName("e\u{301}", in: a), try SecretName("\u{E9}", in: a), try SecretName("A", in: b),
        ]
        #expect(sorted.shuffledApart.sorted() == sorted)
        #expect(Set(sorted).count == sorted.count)
        #expect(sorted[1].description == "a/a")
    }

    @Test("P-9: a user id has 1 to 256 bytes without control characters, also where it is decoded")
    func users() throws {
        for text in ["", "a\nb", "\u{7F}", "\u{85}", String(repeating: "é", count: 128) + "a"] {
            #expect(UserID(text) == nil)
            let data = try JSONEncoder().encode([text])
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([UserID].self, from: data) }
        }
        let longest = String(repeating: "é", count: 128)
        let user = try #require(UserID(longest))
        #expect(try JSONDecoder().decode([UserID].self, from: JSONEncoder().encode([user])) == [user])
        #expect(String(decoding: try JSONEncoder().encode([UserID.device]), as: UTF8.self) == #"["device"]"#)
        // Every user can be named in a store.
        #expect(SecretName(user, in: try SecretNamespace("users")).name == longest)
    }

    @Test("P-9: user ids and tokens that differ in their Unicode form alone are two, as names of items are")
    func unicodeForms() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        let space = try SecretNamespace("users")
        let users = try [composed, decomposed].map { try #require(UserID($0)) }
        #expect(users[0] != users[1] && Set(users).count == 2)
        #expect(SecretName(users[0], in: space) != SecretName(users[1], in: space))
        #expect(UserID(composed) == users[0])
        #expect(AppToken(composed) != AppToken(decomposed) && AppToken(composed) == AppToken(composed))
        #expect(CategoryToken(composed) != CategoryToken(decomposed))
        let selection = ShieldSelection(apps: [AppToken(composed), AppToken(decomposed)])
        #expect(selection.apps.count == 2)
        let data = try JSONEncoder().encode(selection)
        #expect(try JSONDecoder().decode(ShieldSelection.self, from: data) == selection)
    }

    @Test("P-9: ids, names and tokens are compared byte by byte, as stores and file systems compare them")
    func bytes() throws {
        let (composed, apart) = ("\u{E9}", "e\u{301}")
        try #require(composed == apart)
        #expect(UserID(composed) != UserID(apart))
        #expect(ActivityName(composed) != ActivityName(apart))
        #expect(ShieldName(composed) != ShieldName(apart))
        #expect(AppToken(composed) != AppToken(apart))
        #expect(CategoryToken(composed) != CategoryToken(apart))
        let tokens: Set<AppToken> = [AppToken(composed), AppToken(apart)]
        #expect(tokens.count == 2)
        #expect(tokens.contains(AppToken(composed)) && tokens.contains(AppToken(apart)))
        let users = Set([UserID(composed), UserID(apart)])
        #expect(users.count == 2)
    }

    @Test("P-9: ids, names and tokens that differ in their Unicode form alone have hashes of their own")
    func hashes() throws {
        let texts = (0..<1_024).map { number in
            (0..<10).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined()
        }
        try #require(Set(texts).count == 1 && Set(texts.map(\.hashValue)).count == 1)
        let space = try SecretNamespace("users")
        let kinds: [(String) throws -> any Hashable] = [
            { try #require(UserID($0)) }, { ActivityName($0) }, { ShieldName($0) }, { AppToken($0) },
            { CategoryToken($0) }, { try SecretName($0, in: space) },
        ]
        for kind in kinds {
            let values = try texts.map(kind)
            #expect(Set(values.map(\.hashValue)).count == texts.count, "\(type(of: values[0]))")
            #expect(try texts.map { try kind($0).hashValue } == values.map(\.hashValue))
        }
    }

    @Test("A-6: dates are ordered by year, month and day, and written with four, two and two digits")
    func dates() {
        let sorted = [
            CivilDate(year: -12, month: 12, day: 31), CivilDate(year: 2025, month: 12, day: 31),
            CivilDate(year: 2026, month: 1, day: 30), CivilDate(year: 2026, month: 1, day: 31),
            CivilDate(year: 2026, month: 2, day: 1), CivilDate(year: 12_026, month: 1, day: 1),
        ]
        #expect(sorted.shuffledApart.sorted() == sorted)
        #expect(
            sorted.map(\.description) == [
                "-0012-12-31", "2025-12-31", "2026-01-30", "2026-01-31", "2026-02-01", "12026-01-01",
            ]
        )
    }

    @Test("P-20: time away is known within one boot and forwards only")
    func moments() {
        let moment = Moment(wall: .seconds(100), sinceBoot: .seconds(10), boot: BootID("a"))
        #expect(moment.advanced(by: .seconds(5)).elapsed(since: moment) == .seconds(5))
        #expect(moment.elapsed(since: moment) == .zero)
        #expect(moment.elapsed(since: moment.advanced(by: .nanoseconds(1))) == nil)
        var other = moment.advanced(by: .seconds(5))
        #expect(other.wall == .seconds(105))
        other.boot = BootID("b")
        #expect(other.elapsed(since: moment) == nil)
    }

    @Test("S-3: a time of day has an hour of 0 to 23 and a minute of 0 to 59")
    func timesOfDay() throws {
        for (hour, minute) in [(-1, 0), (24, 0), (0, -1), (0, 60)] {
            #expect(TimeOfDay(hour: hour, minute: minute) == nil)
        }
        let (early, late) = (TimeOfDay(hour: 9, minute: 30), TimeOfDay(hour: 10, minute: 0))
        #expect(try #require(early) < #require(late))
        #expect(try #require(TimeOfDay(hour: 9, minute: 29)) < #require(early))
    }

    @Test("P-2: cost numbers outside of their bounds are not sane, and weaker ones are told apart")
    func argon2() {
        func cost(_ memory: UInt32, _ passes: UInt32, _ lanes: UInt32) -> Argon2Parameters {
            Argon2Parameters(memory: memory, passes: passes, lanes: lanes)
        }
        for bad in [
            cost(7, 1, 1), cost(1_048_577, 1, 1), cost(64, 0, 1), cost(64, 33, 1), cost(64, 1, 0),
            cost(1_024, 1, 17), cost(15, 1, 2),
        ] { #expect(!bad.isSane, "\(bad)") }
        for good in [cost(8, 1, 1), cost(1_048_576, 32, 16), cost(16, 1, 2), .owaspMinimum] {
            #expect(good.isSane, "\(good)")
        }
        #expect(cost(64, 4, 1).isWeaker(than: cost(128, 2, 1)), "as much work with less memory")
        #expect(cost(128, 1, 1).isWeaker(than: cost(64, 3, 1)), "more memory with less work")
        #expect(!cost(64, 2, 1).isWeaker(than: cost(64, 2, 4)))
        #expect(!cost(.max, .max, 1).isWeaker(than: cost(.max, .max, 1)))
    }

    @Test("P-4: a secret matches neither its beginning nor what it begins")
    func prefixes() {
        let (short, long) = (SecretBytes(copying: [1, 2]), SecretBytes(copying: [1, 2, 0]))
        #expect(!short.matches(long) && !long.matches(short))
        #expect(!SecretBytes(copying: []).matches(short))
    }
}

extension Array {
    /// In an order that is not their own, and the same in each run.
    fileprivate var shuffledApart: [Element] {
        indices.sorted { ($0 * 5 % 7, $0) < ($1 * 5 % 7, $1) }.map { self[$0] }
    }
}
