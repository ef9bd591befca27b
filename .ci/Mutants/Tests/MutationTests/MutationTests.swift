import Testing

@testable import Mutation

@Suite("Faults that are put in")
struct MutationTests {
    /// The file with one fault of each place in it, numbered from 1.
    private func mutated(_ source: String, _ kind: Fault.Kind) -> String {
        let faults = FaultFinder.faults(in: source, path: "a.swift").filter { $0.kind == kind }
        return MutatedSource.text(source, with: faults.enumerated().map { ($0.offset + 1, $0.element) })
    }

    @Test(
        "one of each kind",
        arguments: [
            ("if a < b { c() }", .comparison, "if (faultIsOn(1) ? (a <= b) : (a < b)) { c() }"),
            ("let x = a == b", .equality, "let x = (faultIsOn(1) != (a == b))"),
            ("let x = a && b", .logic, "let x = (faultIsOn(1) ? (a || b) : (a && b))"),
            ("let x = a - 1", .arithmetic, "let x = (faultIsOn(1) ? (a + 1) : (a - 1))"),
            ("let x = 0x0f", .literal, "let x = (faultIsOn(1) ? (16) : (0x0f))"),
            ("let x = true", .literal, "let x = (faultIsOn(1) ? (false) : (true))"),
            ("if try await a() { b() }", .negation, "if try await (faultIsOn(1) != (a())) { b() }"),
            (
                "func a() -> Bool { return b() }", .answer,
                "func a() -> Bool { return (faultIsOn(1) != (b())) }"
            ),
            ("if let a { return }", .skippedBranch, "if let a, !faultIsOn(1) { return }"),
            ("guard a else { return }", .skippedGuard, "guard (faultIsOn(1) || (a)) else { return }"),
            ("try a(\n1)", .removedCall, "if !faultIsOn(1) { try a(\n1) }"),
            ("a = b", .removedAssignment, "if !faultIsOn(1) { a = b }"),
            ("defer { a() }", .removedDefer, "defer { if !faultIsOn(1) { a() } }"),
            ("func a() -> Int? { b }", .nothing, "func a() -> Int? { (faultIsOn(1) ? nil : (b)) }"),
            ("let x = try a() ?? b", .fallback, "let x = try (faultIsOn(1) ? (b) : (a() ?? b))"),
            ("let x = min(a, b)", .extreme, "let x = (faultIsOn(1) ? (max(a, b)) : (min(a, b)))"),
            ("let x = a.first", .end, "let x = (faultIsOn(1) ? (a.last) : (a.first))"),
            ("let x = a..<b", .range, "let x = a..<((b) + (faultIsOn(1) ? 1 : 0))"),
            ("for a in b { continue }", .jump, "for a in b { if faultIsOn(1) { break } else { continue } }"),
        ] as [(String, Fault.Kind, String)]
    )
    func kinds(source: String, kind: Fault.Kind, expected: String) {
        #expect(mutated(source, kind) == expected)
    }

    @Test(
        "what cannot change at run time, or is not compiled here, is left alone",
        arguments: [
            "switch a { case 1: break }", "enum A: Int { case a = 1 }", "@available(x, 1) class A {}",
            "func a(b: Int = 1) {}", #"let a = "\(1 + 2)""#, "#expect(a < b)",
            "#if os(Nowhere)\na()\n#endif", "switch a { default: break }", "a.reserveCapacity(8)",
        ]
    )
    func nothing(source: String) {
        #expect(FaultFinder.faults(in: source, path: "a.swift").isEmpty)
    }

    @Test("a text of several bytes for a letter does not move what comes after it")
    func unicode() {
        #expect(
            mutated("let é = \"ü\"; a = b", .removedAssignment) == "let é = \"ü\"; if !faultIsOn(1) { a = b }"
        )
    }

    @Test("a seed draws the same faults under the same numbers, whatever is left out")
    func sample() {
        let lines = (0..<50).map { "a\($0)()" }.joined(separator: "\n")
        let faults = FaultFinder.faults(in: lines, path: "a.swift")
        let drawn = Sample(faults, seed: 7).drawn(10, without: [])
        #expect(drawn.count == 10 && drawn.map(\.number) == Array(1...10))
        #expect(Sample(faults, seed: 7).drawn(10, without: []).map(\.fault) == drawn.map(\.fault))
        #expect(Sample(faults, seed: 8).drawn(10, without: []).map(\.fault) != drawn.map(\.fault))
        let others = Sample(faults, seed: 7).drawn(10, without: [3])
        #expect(others.map(\.number) == [1, 2] + Array(4...11))
        #expect(others.prefix(9).map(\.fault) == drawn.filter { $0.number != 3 }.map(\.fault))
    }

    @Test("two faults of one line are never drawn together")
    func touching() {
        let faults = FaultFinder.faults(in: "a(\nb < c\n)\nd()", path: "a.swift")
        #expect(faults.count == 3)
        #expect(Sample(faults, seed: 1).drawn(3, without: []).count == 2)
    }
}
