#if HummingbirdLock
import Hummingbird
import HummingbirdLock
import HummingbirdTesting
import PasscodeLock
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
            var posts = PagePosts(of: visitor, on: page.pageName)
            try await posts.post("activate=ok")
            try await visitor.waitUntilClosed()
            #expect(try await visitor.page().text.contains(WebBench.content))
        }
    }

    @Test("P-21, P-37, W-2: locking at once does not lock while the settings' page loads the content")
    func doneImmediately() async throws {
        try await bench.setPasscode()
        try await bench.service().setTimeout(.immediately)
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let page = try await visitor.page("/_lock/security")
            var posts = PagePosts(of: visitor, on: page.pageName)
            try await posts.post("activate=ok")
            try await BoundedWait.until("the settings are closed", every: .milliseconds(20)) {
                try await visitor.pulse(tab: "hidden", isVisible: false).text.contains("\"screen\":\"\"")
            }
            #expect(try await visitor.pulse(isVisible: false).text.contains("\"isLocked\":false"))
            #expect(try await visitor.pulse(tab: "next").text.contains("\"isLocked\":false"))
        }
    }

    @Test("W-2, P-6: what is typed on a page of another screen is no try of the lock screen")
    func otherScreen() async throws {
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let page = try await visitor.page("/_lock/security")
            await bench.clock.advance(by: .seconds(10))
            await bench.clock.waitForSleepers(2)
            try await Task.sleep(for: .milliseconds(50))
            await bench.clock.advance(by: .seconds(5))
            try await visitor.waitFor(.init(code: 423))
            let response = try await visitor.type("270954", on: page.pageName)
            #expect(response.text.contains("\"screen\":\"lock\""))
            let plain = try await visitor.type("270954", on: page.pageName, count: 9, [:])
            #expect(plain.status == .conflict)
            #expect(plain.text.contains("data-reload=\"/\""), "not the address of the post")
            #expect(try await bench.service().status().failures == 0)
            // The lock screen's own page takes it.
            let lock = try await visitor.page()
            #expect(try await visitor.type("270954", on: lock.pageName).status == .ok)
            try await BoundedWait.until("the try", every: .milliseconds(20)) {
                try await bench.service().status().failures == 1
            }
        }
    }

    @Test("P-37, W-1, W-2: without script Done leads on, and does not open the settings anew")
    func doneWithoutScript() async throws {
        try await bench.setPasscode()
        try await Application(router: bench.router).test(.router) { client in
            let visitor = try await Visitor.signedIn(client)
            let page = try await visitor.page("/_lock/security?next=/orders?all=1")
            let answer = try await visitor.send(
                .post,
                "/_lock/input",
                [.init("Sec-Fetch-Site")!: "same-origin"],
                body: "page=\(page.pageName)&count=1&next=%2Forders%3Fall%3D1&activate=ok"
            )
            var place = answer.headers[.location] ?? ""
            try await BoundedWait.until("the settings are closed", every: .milliseconds(20)) {
                if place != "/orders?all=1" {
                    place = try await visitor.page(place).headers[.location] ?? place
                }
                return place == "/orders?all=1"
            }
            #expect(try await visitor.pulse().text.contains("\"screen\":\"\""))
        }
    }
}
#endif
