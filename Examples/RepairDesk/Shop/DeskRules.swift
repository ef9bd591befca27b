package import PortcullisCore

/// The role in which a person is signed in.
package enum DeskRole: Hashable, Sendable {
    /// A person who works with the app.
    case staff
    /// A person who is served through the app.
    case customer

    /// The role as the server's API writes it.
    package var word: String { self == .staff ? "staff" : "customer" }

    package init?(word: String) {
        switch word {
        case "staff": self = .staff
        case "customer": self = .customer
        default: return nil
        }
    }
}

/// The rules for the part of an app that a person sees: a state takes an event and returns effects (P-40,
/// P-41).
///
/// The rules know nothing of the lock, which covers all of these parts. Staff are offered a passcode once,
/// after the login. Customers are never offered one.
package struct DeskRules: Sendable, Hashable {
    /// What is shown.
    package enum State: Sendable, Hashable {
        /// Nothing yet: the session of an earlier run, or whether there is a passcode, is being looked up.
        case loading
        /// The choice between staff and customer.
        case roleSelection
        /// The login of the staff.
        case staffLogin
        /// The login of the customers.
        case customerLogin
        /// The offer to set a passcode.
        case passcodeSetUp
        /// The app of the staff.
        case staffDashboard
        /// The app of the customers.
        case customerPortal
        /// An account that was put aside, and the reason.
        case quarantine(reason: String)
    }

    /// A person who is signed in.
    package struct Session: Sendable, Hashable {
        /// The user.
        package var user: UserID
        /// The role in which the user is signed in.
        package var role: DeskRole
        /// The reason why the account was put aside; `nil` if it was not.
        package var quarantine: String?

        /// A session of these parts.
        package init(_ user: UserID, as role: DeskRole, quarantine: String? = nil) {
            self.user = user
            self.role = role
            self.quarantine = quarantine
        }
    }

    /// An event.
    package enum Event: Sendable, Hashable {
        /// The app started; answered by ``restored(_:role:)``.
        case launched
        /// The session that an earlier run left, and the role that was chosen last.
        case restored(Session?, role: DeskRole?)
        /// A role was chosen.
        case chose(DeskRole)
        /// The person wants to choose another role.
        case wentBack
        /// A person signed in.
        case signedIn(Session)
        /// The state of a user's passcode. A passcode that cannot be read counts as set. If an administrator
        /// has switched passcodes off (`isEnabled` is `false`, as in `AccountReport`), none is offered,
        /// because the account would refuse it.
        case found(UserID, isSet: Bool, isEnabled: Bool = true, wasAsked: Bool)
        /// The offer to set a passcode ended, with a passcode or without one.
        case setUpEnded
        /// The account was put aside while the app runs; `nil` if it is no longer.
        case quarantined(reason: String?)
        /// The person was signed out, by themselves or because the session ended elsewhere.
        case signedOut
    }

    /// An effect to carry out.
    package enum Effect: Sendable, Hashable {
        /// Bring back the session of an earlier run; answer with ``Event/restored(_:role:)``.
        case restore
        /// Remember the role for the next start; `nil` removes it.
        case remember(DeskRole?)
        /// Ask the account, if there is one. Look whether a passcode is set, and whether the user was asked
        /// to set one. Answer with ``Event/found(_:isSet:isEnabled:wasAsked:)``.
        case lookAtPasscode(UserID)
    }

    /// What is shown now.
    package private(set) var state = State.loading
    /// The session of the person who is signed in; `nil` when there is none.
    package private(set) var session: Session?
    private var role: DeskRole?

    /// An app that has not launched yet.
    package init() {}

    /// Handles an event. An event that does not fit the state changes nothing.
    ///
    /// - Returns: the effects to carry out, in order.
    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .launched:
            return session == nil && state == .loading ? [.restore] : []
        case .restored(let session, let role):
            guard state == .loading, self.session == nil else { return [] }
            self.role = role
            if let session { return enter(session) }
            showLogin()
        case .chose(let role):
            guard state == .roleSelection else { return [] }
            self.role = role
            showLogin()
            return [.remember(role)]
        case .wentBack:
            guard state == .staffLogin || state == .customerLogin else { return [] }
            role = nil
            showLogin()
            return [.remember(nil)]
        case .signedIn(let session):
            return enter(session)
        case .found(let user, let isSet, let isEnabled, let wasAsked):
            // An answer about another user, or after the state has changed, is ignored.
            guard state == .loading, let session, session.user == user else { return [] }
            state = !isSet && isEnabled && !wasAsked ? .passcodeSetUp : .staffDashboard
        case .setUpEnded:
            guard state == .passcodeSetUp else { return [] }
            state = .staffDashboard
        case .quarantined(let reason):
            guard var session, session.quarantine != reason else { return [] }
            session.quarantine = reason
            return enter(session)
        case .signedOut:
            guard session != nil else { return [] }
            session = nil
            showLogin()
        }
        return []
    }

    private mutating func enter(_ session: Session) -> [Effect] {
        let isNewRole = role != session.role
        self.session = session
        role = session.role
        let remember: [Effect] = isNewRole ? [.remember(session.role)] : []
        if let reason = session.quarantine {
            state = .quarantine(reason: reason)
            return remember
        }
        switch session.role {
        case .customer:
            state = .customerPortal
            return remember
        case .staff:
            state = .loading
            return remember + [.lookAtPasscode(session.user)]
        }
    }

    private mutating func showLogin() {
        state =
            switch role {
            case nil: .roleSelection
            case .staff: .staffLogin
            case .customer: .customerLogin
            }
    }
}
