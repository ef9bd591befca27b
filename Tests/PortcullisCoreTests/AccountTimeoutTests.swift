import PortcullisCore
import Testing

@Suite("The account's timeout", .timeLimit(.minutes(10)))
struct AccountTimeoutTests {
    @Test("P-51: a year of minutes is the longest timeout, and none is below zero")
    func bounds() {
        #expect(AccountTimeout.minutes(0).isValid && AccountTimeout.minutes(525_600).isValid)
        #expect(!AccountTimeout.minutes(-1).isValid && !AccountTimeout.minutes(525_601).isValid)
        #expect(AccountTimeout.never.isValid)
    }
}
