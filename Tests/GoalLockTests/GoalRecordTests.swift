import GoalLock
import PortcullisCore
import Testing

@Suite("The goal lock's state (A-1)", .timeLimit(.minutes(5)))
struct GoalRecordTests {
    private func text(_ record: GoalRecord) throws -> String { try record.encoded().text }

    private func code(_ text: String) -> GoalError.Code? {
        do throws(GoalError) {
            _ = try GoalRecord(decoding: SecretBytes(text))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A-1: the state comes back from the store as it was written")
    func roundTrip() throws {
        var bench = RulesBench.enabled()
        bench.take(.dayStart(try #require(TimeOfDay(hour: 3, minute: 30))))
        bench.progress(41.5)
        bench.take(.goal(40))
        let copy = try GoalRecord(decoding: try bench.record.encoded())
        #expect(copy == bench.record)
        #expect(copy.granted.contains(.january(1)) && copy.notified.last == .january(1))
    }

    @Test("A-11: a state that cannot be understood is an error, never a fresh state")
    func damaged() throws {
        let good = try text(RulesBench.enabled().record)
        #expect(code(good) == nil)
        #expect(code("") == .damagedRecord)
        #expect(code("{}") == .damagedRecord)
        #expect(code(String(good.dropLast())) == .damagedRecord)
        for (found, replacement) in [
            (#""goal":100"#, #""goal":0"#), (#""goal":100"#, #""goal":-5"#),
            (#""goal":100"#, #""goal":null"#),
            (#""progress":0"#, #""progress":-1"#), (#""hour":0"#, #""hour":24"#),
            (#""hour":0"#, #""hour":7"#),
            (#""month":1"#, #""month":13"#), (#""day":1,"#, #""day":32,"#), (#""day":1,"#, #""day":0,"#),
            (#""year":2026"#, #""year":20261"#), (#""version":1"#, #""version":0"#),
            (#""granted":[]"#, #""granted":[5,4]"#),
        ] {
            let bad = good.replacing(found, with: replacement)
            #expect(bad != good, "\(found) is in \(good)")
            #expect(code(bad) == .damagedRecord, "\(replacement)")
        }
    }

    @Test("A-11: what is known of a day is read up to the limits of its parts, and is damage beyond them")
    func impossibleDays() throws {
        let farthest = Duration.seconds(400_000_000_000)
        let changes: [(isRight: Bool, (inout DayMark) -> Void)] = [
            (true, { $0.wall = farthest }), (false, { $0.wall = farthest + .seconds(1) }),
            (true, { $0.anchor.wall = .zero - farthest }),
            (false, { $0.anchor.wall = .zero - farthest - .seconds(1) }),
            (true, { $0.anchor.sinceBoot = farthest }),
            (false, { $0.anchor.sinceBoot = farthest + .seconds(1) }),
            (false, { $0.dayStart = TimeOfDay(hour: 7, minute: 0) }),
            (true, { $0.dayStart = TimeOfDay(hour: 6, minute: 0) }),
        ]
        for (index, (isRight, change)) in changes.enumerated() {
            var record = RulesBench.enabled().record
            var day = try #require(record.day)
            change(&day)
            record.day = day
            #expect((code(try text(record)) == nil) == isRight, "\(index)")
        }
        let good = try text(RulesBench.enabled().record)
        for (found, replacement, isRight) in [
            (#""year":2026"#, #""year":20000"#, true), (#""year":2026"#, #""year":20001"#, false),
            (#""year":2026"#, #""year":-20000"#, true), (#""year":2026"#, #""year":-20001"#, false),
            (#""month":1"#, #""month":12"#, true), (#""month":1"#, #""month":0"#, false),
            (#""day":1,"#, #""day":31,"#, true), (#""minute":0},"wall""#, #""minute":60},"wall""#, false),
            (#""minute":0},"wall""#, #""minute":59},"wall""#, true),
        ] {
            let text = good.replacing(found, with: replacement)
            #expect(text != good && (code(text) == nil) == isRight, "\(replacement)")
        }
    }

    @Test("A-1: a state of before a field was added can be read; a field without news is not written")
    func older() throws {
        var bench = RulesBench.enabled()
        bench.progress(100)
        let full = try text(bench.record)
        #expect(!full.contains("unreadable"))
        let older = full.replacing(#","dayStart":{"hour":0,"minute":0},"wall""#, with: #","wall""#)
        #expect(older != full, "\(full)")
        let record = try GoalRecord(decoding: SecretBytes(older))
        #expect(record.day?.dayStart == nil && record.granted == bench.record.granted)
        bench.record = record
        bench.take(.look)
        #expect(bench.isDown && bench.today == .january(1))
        bench.take(.unreadableProgress)
        #expect(try GoalRecord(decoding: try bench.record.encoded()).isProgressUnreadable)
    }

    @Test("A-11: a state of a newer version is its own error")
    func newer() throws {
        let good = try text(GoalRecord(goal: 5))
        #expect(code(good.replacing(#""version":1"#, with: #""version":2"#)) == .newerRecord)
        #expect(code(#"{"version":9,"something":"else"}"#) == .newerRecord)
    }
}

extension SecretBytes {
    /// The bytes of a text.
    convenience init(_ text: String) { self.init(copying: text.utf8) }

    /// The bytes as text.
    var text: String {
        withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
