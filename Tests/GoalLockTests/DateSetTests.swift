import AdapterKit
import GoalLock
import PortcullisCore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Sets of dates (A-6)", .timeLimit(.minutes(5)))
struct DateSetTests {
    @Test("A-6: a set of dates holds what a plain set holds, whatever comes and goes")
    func likeSet() throws {
        var generator = SeededGenerator(7)
        var dates = DateSet()
        var model: Set<CivilDate> = []
        for _ in 0..<4_000 {
            let date = CivilDate(daysSinceEpoch: Int.random(in: -40...40, using: &generator))
            if Int.random(in: 0..<3, using: &generator) > 0 {
                #expect(dates.insert(date) == model.insert(date).inserted)
            } else {
                dates.remove(date)
                model.remove(date)
            }
            #expect(dates.contains(date) == model.contains(date))
            #expect(dates.last == model.max())
        }
        for day in -45...45 {
            let date = CivilDate(daysSinceEpoch: day)
            #expect(dates.contains(date) == model.contains(date))
        }
        let copy = try JSONDecoder().decode(DateSet.self, from: try JSONEncoder().encode(dates))
        #expect(copy == dates)
    }

    @Test("A-6: ten years of days that follow each other need one run")
    func compact() throws {
        var dates = DateSet()
        for day in 20_000..<23_650 { dates.insert(CivilDate(daysSinceEpoch: day)) }
        #expect(String(decoding: try JSONEncoder().encode(dates), as: UTF8.self) == "[20000,23649]")
    }

    @Test("A-6: beyond the limit the earliest run is forgotten, never the date that was just added")
    func limit() throws {
        var dates = DateSet()
        for number in 0...4_000 { dates.insert(CivilDate(daysSinceEpoch: number * 2)) }
        #expect(!dates.contains(CivilDate(daysSinceEpoch: 0)))
        #expect(dates.contains(CivilDate(daysSinceEpoch: 2)))
        dates.insert(CivilDate(daysSinceEpoch: -9))
        #expect(dates.contains(CivilDate(daysSinceEpoch: -9)))
        #expect(!dates.contains(CivilDate(daysSinceEpoch: 2)))
    }

    @Test("A-6: a run that a removal splits counts towards the limit too")
    func splitAtLimit() throws {
        var dates = DateSet()
        for number in 0..<DateSet.limit { dates.insert(CivilDate(daysSinceEpoch: number * 5)) }
        let last = (DateSet.limit - 1) * 5
        for day in 1...2 { dates.insert(CivilDate(daysSinceEpoch: last + day)) }
        dates.remove(CivilDate(daysSinceEpoch: last + 2))
        #expect(dates.contains(CivilDate(daysSinceEpoch: 0)), "as many runs as before")
        dates.insert(CivilDate(daysSinceEpoch: last + 2))
        dates.remove(CivilDate(daysSinceEpoch: last + 1))
        #expect(!dates.contains(CivilDate(daysSinceEpoch: 0)), "the earliest is forgotten")
        #expect(dates.contains(CivilDate(daysSinceEpoch: last)))
        #expect(dates.contains(CivilDate(daysSinceEpoch: last + 2)))
    }

    @Test(
        "A-11: runs that no set could have written are refused",
        arguments: [
            "[2,1]", "[1,2,3,4]", "[5,6,1,2]", "[1]", "[1,5000001]", "[-5000001,1]", "[1.5,2]", "{}",
        ]
    )
    func refused(_ text: String) throws {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DateSet.self, from: Data(text.utf8))
        }
        let widest = Data("[-5000000,-7,-5,-5,1,5000000]".utf8)
        #expect(try JSONEncoder().encode(JSONDecoder().decode(DateSet.self, from: widest)) == widest)
    }
}

/// Random numbers that are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
