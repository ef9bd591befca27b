import LockScreens
import PasscodeLock
import Testing
import WebScreens

@Suite("What a page replaces (W-1)", .timeLimit(.minutes(5)))
struct WebScreenTests {
    @Test("P-30, W-1: a digit changes the dots and what is said of them, and nothing else")
    func digit() {
        var screen = WebScreen(Contents.lock())
        let before = screen.revision
        screen.show(Contents.lock(filled: 3))
        let patch = screen.patch(since: before)
        #expect(Set(patch.regions.keys) == ["entry", "typed"])
        #expect(patch.filled == 3 && patch.since == before && patch.revision == before + 1)
        #expect(patch.regions["typed"] == "3 of 6 digits entered")
        #expect(readHTML(patch.regions["entry"] ?? "").elements("i").count { $0["class"] == "full" } == 3)
    }

    @Test("W-1: a page that missed changes is told all of them at once; one that has all, none")
    func since() {
        var screen = WebScreen(Contents.lock())
        let first = screen.revision
        screen.show(Contents.lock(filled: 1))
        screen.show(Contents.wrong)
        let newest = screen.patch(since: first)
        #expect(
            Set(newest.regions.keys).isSuperset(of: ["entry", "typed", "error"])
                || newest.regions["error"] != nil
        )
        #expect(newest.regions["error"] == "Incorrect passcode")
        #expect(screen.patch(since: screen.revision).regions.isEmpty)
        #expect(screen.patch(since: 0).regions.count > 10)
        // A number of another process.
        #expect(screen.patch(since: 1000).regions.count > 10)
    }

    @Test("P-32: a wrong passcode shakes, empties the dots and is said as an alert")
    func wrong() {
        let content = Contents.wrong
        #expect(content.shakes == 1)
        let patch = WebScreen(content).patch(since: 0)
        #expect(patch.shakes == 1 && patch.filled == 0)
        let page = readHTML(WebPage(base: "/_lock/", id: "p").html(WebScreen(content)))
        let error = page.attributes.first { $0["id"] == "error" }
        #expect(error?["role"] == "alert")
    }

    @Test("P-32: a count-down changes its own text alone, and is not announced")
    func countDown() {
        var screen = WebScreen(Contents.delayed(by: .seconds(50)))
        let before = screen.revision
        screen.show(Contents.delayed(by: .seconds(49)))
        #expect(Set(screen.patch(since: before).regions.keys) == ["timer"])
        let page = readHTML(WebPage(base: "/_lock/", id: "p").html(screen))
        #expect(page.attributes.first { $0["id"] == "timer" }?["aria-live"] == "off")
        #expect(page.elements("meta").contains { $0["http-equiv"] == "refresh" && $0["content"] == "50" })
    }

    @Test(
        "W-1: without script a page over the content reloads an address that does not open its screen anew, and the lock's page the one that it was given"
    )
    func reload() {
        var page = WebPage(base: "/_lock/", id: "p", next: "/orders?all=1&x=2", screen: "sheet")
        let screen = WebScreen(Contents.delayed(by: .seconds(49)))
        func content() -> String? {
            readHTML(page.html(screen)).elements("meta").first { $0["http-equiv"] == "refresh" }?["content"]
        }
        #expect(content() == "50;url=/_lock/input?/orders?all=1&x=2")
        page.screen = "lock"
        #expect(content() == "50")
        page.reload = "/"
        #expect(content() == "50;url=/")
    }

    @Test("A-20: a row of icons that moves a hundred times a second sends nothing")
    func icons() {
        var content = Contents.introduction
        var screen = WebScreen(content)
        content.icons?.offset = 0.37
        let isChanged = screen.show(content)
        #expect(!isChanged && screen.revision == 1)
    }

    @Test("P-4: no page or patch tells what was typed")
    func typed() {
        let text = readHTML(WebPage(base: "/_lock/", id: "p").html(WebScreen(Contents.lock(filled: 5))))
        let field = text.elements("input").filter { $0["type"] != "hidden" }
        #expect(field.allSatisfy { $0["value"] == nil })
    }

    @Test("W-1: under a question the rest takes no input, and the question has its name and text")
    func question() throws {
        let page = readHTML(WebPage(base: "/_lock/", id: "p").html(WebScreen(Contents.forgot(true))))
        let beneath = try #require(page.attributes.first { $0["id"] == "beneath" })
        #expect(beneath["inert"] != nil)
        let dialog = try #require(page.attributes.first { $0["role"] == "alertdialog" })
        #expect(dialog["aria-modal"] == "true" && dialog["aria-labelledby"] == "question")
        #expect(page.elements("button").contains { $0["value"] == "cancel" && $0["data-cancel"] != nil })
    }
}
