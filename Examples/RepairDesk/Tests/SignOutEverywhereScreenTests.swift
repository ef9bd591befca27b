import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

@testable import repair_desk

/// The rules of the question whether to sign out everywhere.
@Suite("Sign Out Everywhere")
struct SignOutEverywhereScreenTests {
    private let moment = Moment(wall: .seconds(1_767_268_800), sinceBoot: .seconds(3_600), boot: BootID("b"))

    /// A screen after the person has confirmed.
    private func asked() -> SignOutEverywhereScreen {
        var screen = SignOutEverywhereScreen(hasPasscode: true)
        #expect(screen.handle(.input(.activate(.logOutEverywhere)), at: moment) == [.endSessions])
        return screen
    }

    @Test("P-33: it tells what will be lost, and Cancel does nothing")
    func question() {
        var screen = SignOutEverywhereScreen(hasPasscode: true)
        let alert = screen.content.alert
        #expect(
            alert?.text
                == "You will need to sign in again on every device. Your passcode will be removed from this one."
        )
        #expect(alert?.actions.map(\.title) == ["Cancel", "Sign Out"])
        #expect(alert?.actions.map(\.role) == [.cancel, .destructive])
        #expect(screen.handle(.input(.submit), at: moment).isEmpty)
        #expect(screen.handle(.input(.activate(.cancel)), at: moment) == [.finish])
        let without = SignOutEverywhereScreen(hasPasscode: false).content.alert
        #expect(without?.text == "You will need to sign in again on every device.")
    }

    @Test("P-9: this device signs out once the server has ended the sessions, and input waits until then")
    func order() {
        var screen = asked()
        #expect(screen.content.isBusy && screen.content.alert == nil)
        #expect(screen.handle(.input(.activate(.logOutEverywhere)), at: moment).isEmpty)
        #expect(screen.handle(.input(.activate(.cancel)), at: moment).isEmpty)
        #expect(screen.handle(.answered(nil), at: moment) == [.signOut])
    }

    @Test(
        "P-51: what was not carried out signs out on no device, and can be tried again",
        arguments: [.unreachable, .serverFailure, .throttled, .refused, .cancelled]
            as [PasscodeAccountError.Code]
    )
    func failure(_ code: PasscodeAccountError.Code) {
        var screen = asked()
        #expect(screen.handle(.answered(code, retryAfter: .seconds(60)), at: moment).isEmpty)
        #expect(screen.content.alert?.text.hasSuffix("You are still signed in everywhere.") == true)
        #expect(screen.content.alert?.actions.map(\.title) == ["Cancel", "Try Again"])
        #expect(screen.handle(.input(.activate(.logOutEverywhere)), at: moment) == [.endSessions])
    }

    @Test(
        "P-51: a lost answer is looked for at the session, and a later refusal of the session is that answer"
    )
    func unknown() {
        var screen = asked()
        #expect(screen.handle(.answered(.outcomeUnknown), at: moment) == [.look])
        #expect(screen.content.isBusy)
        var ended = screen
        #expect(ended.handle(.looked(isOpen: false), at: moment) == [.signOut])
        for isOpen in [true, nil] {
            var open = screen
            #expect(open.handle(.looked(isOpen: isOpen), at: moment).isEmpty)
            #expect(open.content.alert?.text.contains("or not") == true)
            _ = open.handle(.input(.activate(.logOutEverywhere)), at: moment)
            #expect(open.handle(.answered(.notSignedIn), at: moment) == [.signOut])
        }
    }

    @Test("P-51: a session that had ended before leaves this device only")
    func endedBefore() {
        var screen = asked()
        #expect(screen.handle(.answered(.notSignedIn), at: moment) == [.leave])
    }
}
