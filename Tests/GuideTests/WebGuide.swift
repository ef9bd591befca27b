import LockScreens
import PasscodeLock
import Testing
import WebScreens

struct Visit {
    var screen: WebScreen
    let page = WebPage(base: "/_lock/", id: "a-name-of-its-own")

    /// What a browser gets that asks for the page; with the fields of `WebPage.headers`.
    var html: String { page.html(screen) }

    /// What a page gets that has this revision.
    func event(since revision: Int) -> [UInt8] {
        WebMessage(isLocked: true, screen: page.screen, patch: screen.patch(since: revision)).event
    }

    /// What the person did.
    func inputs(_ body: [UInt8]) throws -> [ScreenInput] { try WebForm(body).inputs }
}

@Suite("Web guide: its code works", .timeLimit(.minutes(1)))
struct WebGuideTests {
    @Test("W-1: a page, an event and a post")
    func visit() throws {
        let visit = Visit(screen: WebScreen(LockScreen(format: .standard).content))
        #expect(visit.html.contains("Enter Passcode"))
        #expect(visit.event(since: 0).starts(with: Array("data: {".utf8)))
        #expect(try visit.inputs(Array("digit=1&digit=2".utf8)).count == 2)
    }
}
