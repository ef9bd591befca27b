import PortcullisCore
import RepairShop
import Testing

@testable import repair_desk

@Suite("What an app shows (P-40, P-41)")
struct DeskRulesTests {
    private let ada = DeskRules.Session(.ada, as: .staff)
    private let bob = DeskRules.Session(.bob, as: .customer)

    private func launched(_ session: DeskRules.Session? = nil, role: DeskRole? = nil) -> DeskRules {
        var rules = DeskRules()
        #expect(rules.state == .loading)
        #expect(rules.handle(.launched) == [.restore])
        _ = rules.handle(.restored(session, role: role))
        return rules
    }

    @Test("P-40: without a session, the login of the role that was chosen, or the choice")
    func noSession() {
        #expect(launched().state == .roleSelection)
        #expect(launched(role: .staff).state == .staffLogin)
        #expect(launched(role: .customer).state == .customerLogin)
        var rules = launched()
        #expect(rules.handle(.chose(.staff)) == [.remember(.staff)])
        #expect(rules.state == .staffLogin)
        #expect(rules.handle(.wentBack) == [.remember(nil)])
        #expect(rules.state == .roleSelection)
    }

    @Test(
        "P-40, P-41: staff are offered a passcode when there is none and they were never asked",
        arguments: [true, false],
        [true, false]
    )
    func setUp(isSet: Bool, wasAsked: Bool) {
        for isRestored in [true, false] {
            var rules = launched(isRestored ? ada : nil, role: .staff)
            if !isRestored { #expect(rules.handle(.signedIn(ada)) == [.lookAtPasscode(.ada)]) }
            #expect(rules.state == .loading)
            _ = rules.handle(.found(.ada, isSet: isSet, wasAsked: wasAsked))
            #expect(rules.state == (isSet || wasAsked ? .staffDashboard : .passcodeSetUp))
            _ = rules.handle(.setUpEnded)
            #expect(rules.state == .staffDashboard)
        }
    }

    @Test("P-37, P-40: no passcode is offered where an administrator switched them off; later it may be")
    func switchedOff() {
        var rules = launched(ada, role: .staff)
        _ = rules.handle(.found(.ada, isSet: false, isEnabled: false, wasAsked: false))
        #expect(rules.state == .staffDashboard)
        var later = launched(ada, role: .staff)
        _ = later.handle(.found(.ada, isSet: false, isEnabled: true, wasAsked: false))
        #expect(later.state == .passcodeSetUp)
    }

    @Test("P-40: customers go to the portal, never to set-up")
    func customers() {
        var rules = launched(bob, role: .customer)
        #expect(rules.state == .customerPortal)
        _ = rules.handle(.found(.bob, isSet: false, wasAsked: false))
        #expect(rules.state == .customerPortal)
    }

    @Test("P-40: an account that is put aside goes to quarantine, at login and later, and back")
    func quarantine() {
        var put = ada
        put.quarantine = "Under review"
        var rules = launched(role: .staff)
        _ = rules.handle(.signedIn(put))
        #expect(rules.state == .quarantine(reason: "Under review"))
        _ = rules.handle(.found(.ada, isSet: false, wasAsked: false))
        #expect(rules.state == .quarantine(reason: "Under review"))
        #expect(rules.handle(.quarantined(reason: nil)) == [.lookAtPasscode(.ada)])
        _ = rules.handle(.found(.ada, isSet: true, wasAsked: false))
        #expect(rules.state == .staffDashboard)
        _ = rules.handle(.quarantined(reason: "Again"))
        #expect(rules.state == .quarantine(reason: "Again"))
        _ = rules.handle(.signedOut)
        #expect(rules.state == .staffLogin)
    }

    @Test("P-40: what was looked up for somebody who has left says nothing")
    func overtaken() {
        var rules = launched(ada, role: .staff)
        _ = rules.handle(.signedOut)
        _ = rules.handle(.signedIn(DeskRules.Session(.bob, as: .staff)))
        _ = rules.handle(.found(.ada, isSet: true, wasAsked: true))
        #expect(rules.state == .loading)
        _ = rules.handle(.found(.bob, isSet: false, wasAsked: false))
        #expect(rules.state == .passcodeSetUp)
        _ = rules.handle(.restored(ada, role: .staff))
        #expect(rules.state == .passcodeSetUp)
    }

    @Test(
        "P-40: whatever happens, set-up is for staff who are signed in, and only logins show without a session"
    )
    func anything() {
        let events: [DeskRules.Event] = [
            .launched, .restored(nil, role: .staff), .restored(ada, role: .staff), .restored(bob, role: nil),
            .chose(.staff), .chose(.customer), .wentBack, .signedIn(ada), .signedIn(bob),
            .found(.ada, isSet: false, wasAsked: false), .found(.ada, isSet: true, wasAsked: true),
            .found(.bob, isSet: false, wasAsked: false), .setUpEnded, .quarantined(reason: "r"),
            .quarantined(reason: nil), .signedOut,
        ]
        // This collects every state that can be reached, each once.
        var seen: Set<DeskRules> = [DeskRules()]
        var open = Array(seen)
        while let rules = open.popLast() {
            for event in events {
                var next = rules
                _ = next.handle(event)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        for rules in seen {
            switch rules.state {
            case .passcodeSetUp, .staffDashboard: #expect(rules.session?.role == .staff)
            case .customerPortal: #expect(rules.session?.role == .customer)
            case .quarantine: #expect(rules.session?.quarantine != nil)
            case .roleSelection, .staffLogin, .customerLogin: #expect(rules.session == nil)
            case .loading: break
            }
        }
        #expect(Set(seen.map(\.state)).count == 8)
    }
}

extension UserID {
    fileprivate static let ada = UserID("ada")!
    fileprivate static let bob = UserID("bob")!
}
