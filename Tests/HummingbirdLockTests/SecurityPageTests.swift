#if HummingbirdLock
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import PortcullisTesting
import Testing

@Suite("The security settings as a page (P-37, W-2)", .timeLimit(.minutes(5)))
struct SecurityPageTests {
    private let bench = WebBench()

    @Test("P-37, W-2: Done closes the settings, and the content is shown again")
    func done() async throws {
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let page = try await visitor.page("/_lock/security")
            #expect(page.text.contains("Require Passcode"))
            #expect(try await visitor.pulse().text.contains("\"screen\":\"sheet\""))
            _ = try await visitor.send(
                .post,
                "/_lock/input",
                Visitor.ofScript,
                body: "page=\(page.pageName)&count=1&tab=t&activate=ok"
            )
            try await BoundedWait.until("the settings are closed", every: .milliseconds(20)) {
                try await visitor.pulse().text.contains("\"screen\":\"\"")
            }
            #expect(try await visitor.page().text.contains(WebBench.content))
        }
    }
}
#endif
