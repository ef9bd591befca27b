import LockScreens
import PasscodeLock
import Testing
import WebScreens

@Suite("The recovery screen as a page (H-2, W-1)", .timeLimit(.minutes(5)))
struct RecoverPageTests {
    @Test("H-2, W-1: the passphrase has a hidden field, and the page names it and both buttons")
    func page() {
        let screen = RecoverPasscodeScreen(format: .standard)
        let html = WebPage(base: "/_lock/", id: "page").html(WebScreen(screen.content))
        for part in ["Recover Passcode", "Enter recovery passphrase", "Step 1 of 3", "type=\"password\""] {
            #expect(html.contains(part), "\(part)\n\(html)")
        }
        for id in [ControlID.done, .cancel] { #expect(html.contains("\"\(id.rawValue)\""), "\(id)\n\(html)") }
    }
}
