import FleetChecker
import Testing

@Suite("The checker of histories (F-4)", .timeLimit(.minutes(1)))
struct RegisterTests {
    private func write(_ value: String, _ begin: Int64, _ end: Int64?) -> Operation<RegisterHistory.Act> {
        Operation(.write(value), begin: begin, end: end)
    }

    private func read(_ value: String?, _ begin: Int64, _ end: Int64) -> Operation<RegisterHistory.Act> {
        Operation(.read(value), begin: begin, end: end)
    }

    private func isRight(_ operations: [Operation<RegisterHistory.Act>]) -> Bool {
        RegisterHistory(operations).violation() == nil
    }

    @Test("F-4: the two register histories of Porcupine's README are judged as it does")
    func published() {
        // https://github.com/anishathalye/porcupine, README, "Usage". There the register begins with 0, here
        // it is empty.
        #expect(isRight([write("100", 0, 5), read("100", 1, 4), read(nil, 2, 3)]))
        #expect(!isRight([write("200", 0, 5), read("200", 1, 2), read(nil, 3, 4)]))
    }

    @Test("F-4: a lost write, a stale read, a read that goes back, and a value from nowhere are found")
    func wrong() {
        #expect(!isRight([write("a", 0, 1), read(nil, 2, 3)]))
        #expect(!isRight([write("a", 0, 1), write("b", 2, 3), read("a", 4, 5)]))
        #expect(!isRight([write("a", 0, 9), write("b", 0, 9), read("a", 10, 11), read("b", 12, 13)]))
        #expect(!isRight([write("a", 0, 1), read("c", 2, 3)]))
        // The read was over before the write began.
        #expect(!isRight([read("a", 0, 1), write("a", 2, 3)]))
    }

    @Test(
        "F-4: a write that was not answered may have been made at any time, or not; once it is read it stays"
    )
    func unanswered() {
        #expect(isRight([write("a", 0, nil), read(nil, 1, 2), read("a", 100, 101)]))
        #expect(isRight([write("a", 0, nil), read(nil, 100, 101)]))
        #expect(!isRight([write("a", 0, nil), read("a", 1, 2), read(nil, 3, 4)]))
        #expect(
            isRight([
                write("a", 0, 1), write("b", 2, nil), read("b", 3, 4), write("c", 5, 6), read("c", 7, 8),
            ])
        )
        #expect(!isRight([write("a", 0, 1), write("b", 2, nil), read("b", 3, 4), read("a", 5, 6)]))
    }

    @Test("F-4: a long right history is judged, and each of its reads that is made stale is found")
    func long() {
        var operations: [Operation<RegisterHistory.Act>] = []
        for step in 0..<400 {
            let time = Int64(step * 10)
            operations.append(write("\(step)", time, time + 6))
            // The first read lies within the write. The second read overlaps no act.
            operations.append(read(step % 3 == 0 && step > 0 ? "\(step - 1)" : "\(step)", time + 2, time + 5))
            operations.append(read("\(step)", time + 7, time + 8))
        }
        // A read within a write may give the old value or the new one, because the write may take effect at
        // any time.
        #expect(isRight(operations))
        for step in [1, 57, 399] {
            var stale = operations
            stale[step * 3 + 2] = read("\(step - 1)", Int64(step * 10 + 7), Int64(step * 10 + 8))
            #expect(!isRight(stale), "\(step)")
        }
    }
}

@Suite("The checker of counts, uses and files (F-4)", .timeLimit(.minutes(1)))
struct CountTests {
    private func tries(_ list: [(Int?, Int64, Int64?)], final: Int? = nil) -> [Violation] {
        CountHistory(list.map { Operation($0.0, begin: $0.1, end: $0.2) }, final: final).violations()
    }

    @Test("F-4: a try that was not counted, counted down, or counted without being made is found")
    func counts() {
        #expect(tries([(1, 0, 1), (3, 2, 9), (2, 3, 8), (nil, 4, nil), (4, 10, 11)], final: 5).isEmpty)
        #expect(tries([(1, 0, 1), (nil, 2, nil), (3, 4, 5)], final: 3).isEmpty)
        #expect(tries([(1, 0, 1), (nil, 2, nil), (2, 4, 5)], final: 2).isEmpty)
        #expect(!tries([(1, 0, 1), (1, 2, 3)]).isEmpty)
        #expect(!tries([(2, 0, 5), (2, 1, 6)]).isEmpty)
        #expect(!tries([(2, 0, 9), (1, 10, 11)]).isEmpty)
        #expect(!tries([(1, 0, 1), (3, 2, 3)]).isEmpty)
        #expect(!tries([(1, 0, 1), (2, 2, 3)], final: 1).isEmpty)
        #expect(!tries([(1, 0, 1), (nil, 2, nil)], final: 3).isEmpty)
    }

    @Test("F-4: a code that is used twice is found; one that may have been is not held against it")
    func uses() {
        func uses(_ list: [(String, Bool, Int64?)]) -> [Violation] {
            UseHistory(list.map { Operation(.init($0.0, isAccepted: $0.1), begin: 0, end: $0.2) })
                .violations()
        }
        #expect(uses([("a", true, 1), ("a", false, 2), ("b", true, 3), ("a", true, nil)]).isEmpty)
        #expect(
            uses([("a", true, 1), ("b", true, 3), ("a", true, 2)]).map(\.description) == [
                "a was used 2 times"
            ]
        )
    }

    @Test("F-4: a file of a run is read line by line, and what is none of it is refused")
    func files() throws {
        let text = """
            {"kind":"write","subject":"x","begin":0,"end":1,"value":"a"}
            {"kind":"read","subject":"x","begin":2,"end":3,"value":"a"}
            {"kind":"try","subject":"y","begin":0,"end":1,"number":1}
            {"kind":"try","subject":"y","begin":2}
            {"kind":"count","subject":"y","begin":9,"end":9,"number":2}
            {"kind":"use","subject":"c","begin":0,"end":1,"isAccepted":true}
            """
        #expect(try FleetHistory(lines: text.split(separator: "\n")).violations().isEmpty)
        let wrong =
            text + """
                \n{"kind":"read","subject":"x","begin":4,"end":5}
                {"kind":"use","subject":"c","begin":0,"end":1,"isAccepted":true}
                {"kind":"try","subject":"y","begin":10,"end":11,"number":1}
                """
        #expect(try FleetHistory(lines: wrong.split(separator: "\n")).violations().count == 4)
        for line in [
            "{}", "x", #"{"kind":"other","subject":"x","begin":0}"#,
            #"{"kind":"write","subject":"x","begin":0}"#,
        ] {
            #expect(throws: FleetHistory.BadLine.self) { _ = try FleetHistory(lines: [Substring(line)]) }
        }
    }
}
