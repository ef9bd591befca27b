import Testing

@testable import TerminalHost

@Suite("Reports of the terminal's focus (P-20)")
struct FocusReportsTests {
    @Test(
        "P-20: however many reports come at once, at most a loss and a return are told",
        arguments: [
            ([], []), ([true], [true]), ([false], [false]), ([false, true], [false, true]),
            ([true, false], [false]),
            ([true, true], [true]), ([false, true, false], [false]),
            (Array(repeating: [false, true], count: 1_000).flatMap(\.self), [false, true]),
        ] as [([Bool], [Bool])]
    )
    func changes(_ reports: [Bool], _ wanted: [Bool]) {
        var focus = FocusReports()
        for report in reports { focus.note(report) }
        #expect(focus.changes == wanted)
    }
}
