import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Testing

extension HTTPPasscodeAccountTests {
    @Test(
        "P-33: a timeout outside of 0 to 525,600 minutes is no answer",
        arguments: [
            ("0", AccountTimeout.minutes(0)), ("525600", .minutes(525_600)), ("-1", nil), ("525601", nil),
            (#""soon""#, nil), ("1.5", nil), ("null", nil),
        ]
    )
    func timeouts(_ text: String, _ timeout: AccountTimeout?) async throws {
        let answer = #"{"hasPasscode":true,"isEnabled":true,"timeoutMinutes":\#(text),"revision":"r0"}"#
        try await serving(over: .urlSession, .answer(200, answer)) { server, transport in
            let account = try account(server, transport)
            do throws(PasscodeAccountError) {
                #expect(try await account.status().timeout == timeout)
            } catch {
                #expect(timeout == nil && error.code == .invalidAnswer)
            }
        }
    }
}
