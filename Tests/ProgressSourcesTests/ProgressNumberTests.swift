import PortcullisCore
import Testing

@testable import ProgressSources

@Suite("Text that is one number")
struct ProgressNumberTests {
    @Test(
        "A-11: text that is one number",
        arguments: [("7", 7), (" 7.50\r\n", 7.5), ("1e3", 1_000), ("+3", 3), ("0", 0)] as [(String, Double)]
    )
    func numbers(text: String, number: Double) throws {
        #expect(try ProgressNumber.read(Array(text.utf8)) == number)
    }

    @Test(
        "A-11: text that is not",
        arguments: [
            "", " \n", "x", "1 2", "1\n2", "nan", "inf", "-1", "1e999", "0x10", "1,000", "1'000", "1,5", "٣",
        ]
    )
    func noNumbers(text: String) {
        #expect(throws: ProgressTrouble.self) { try ProgressNumber.read(Array(text.utf8)) }
    }
}
