internal import PortcullisCore

/// A new controller, with the functions that check the controller for each clause.
struct ShieldControllerProbe: Sendable {
    let place: ShieldControllerSubject.Place
    let daily = ShieldName("contract.daily")
    let extra = ShieldName("contract.extra")

    init(_ place: ShieldControllerSubject.Place) { self.place = place }

    var controller: any ShieldController { place.controller }
    var app: AppToken { place.tokens.app }
    var otherApp: AppToken { place.tokens.otherApp }

    func selection(_ apps: AppToken..., categories: Set<CategoryToken> = []) -> ShieldSelection {
        ShieldSelection(apps: Set(apps), categories: categories)
    }

    /// Requires that exactly these shields are up, and checks the states of the tokens.
    ///
    /// Exactly the tokens that a shield names must have a state. If a shield names `app` or `otherApp`, the
    /// app's state must be in force. If the test can observe apps, each of these two apps must really be shut
    /// if `shut` contains it, and open otherwise. By default `shut` contains the apps that the shields name.
    func expect(
        _ shields: [ShieldName: ShieldSelection],
        shut: Set<AppToken>? = nil,
        on other: (any ShieldController)? = nil
    ) async throws {
        let coverage = await (other ?? controller).coverage()
        try requireEqual(coverage.applied, shields, "the shields that are up")
        let apps = shields.values.reduce(into: Set()) { $0.formUnion($1.apps) }
        let categories = shields.values.reduce(into: Set()) { $0.formUnion($1.categories) }
        try requireEqual(Set(coverage.apps.keys), apps, "the app tokens that have a state")
        try requireEqual(Set(coverage.categories.keys), categories, "the category tokens that have a state")
        for token in [app, otherApp] {
            if let state = coverage.apps[token] {
                try require(state.isInForce, "\(token.rawValue) is named, but is \(state)")
            }
            let isExpected = (shut ?? apps).contains(token)
            guard let isShut = place.isShut else { continue }
            try requireEqual(try await isShut(token), isExpected, "whether \(token.rawValue) is shut")
        }
    }

    /// Requires that a call fails, with this code if it is not `nil`.
    func expectFailure(
        _ code: ShieldError.Code?,
        of what: String,
        _ call: () async throws(ShieldError) -> Void
    ) async throws {
        do throws(ShieldError) {
            try await call()
        } catch {
            if let code { try requireEqual(error.code, code, "the code of \(what)") }
            return
        }
        throw Finding("\(what) did not throw")
    }
}

extension ShieldCoverage.State {
    /// Whether the shield shuts the apps that the token names.
    var isInForce: Bool { self == .gated || self == .reactive }
}
