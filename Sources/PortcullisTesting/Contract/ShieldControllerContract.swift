internal import PortcullisCore

/// The rules that every ``/PortcullisCore/ShieldController`` must keep, as a list of clauses.
///
/// Any test framework can run the clauses, and so can a plain program:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: ShieldControllerContract.allCases)
/// func contract(_ clause: ShieldControllerContract) async throws {
///     try await clause.check(ShieldControllerSubject {
///         .init(controller: MyController(), tokens: .init(app: chess, otherApp: mail))
///     })
/// }
/// ```
public enum ShieldControllerContract: String, ContractClause {
    /// A new controller has no shield up.
    case nothingAtFirst = "SH-01"
    /// A shield shuts every app that it names, and no other app.
    case applies = "SH-02"
    /// Applying an equal selection again changes nothing.
    case appliesTwice = "SH-03"
    /// Applying another selection under the name of a shield replaces the shield's previous selection.
    case replaces = "SH-04"
    /// Clearing a shield opens its apps.
    case clears = "SH-05"
    /// Clearing a shield that is not up changes nothing and is not an error.
    case clearsUnknown = "SH-06"
    /// An app stays shut until the last shield that names it is cleared.
    case unites = "SH-07"
    /// Changing one shield leaves the other shields unchanged.
    case shieldsApart = "SH-08"
    /// Applying an empty selection clears the shield.
    case emptySelection = "SH-09"
    /// A category shuts the apps that belong to it, and no other app.
    case category = "SH-10"
    /// If no app belongs to a token, the token is reported as unresolved. The apps of the other tokens are
    /// shut.
    case unresolved = "SH-11"
    /// If the app of a token is never shielded, the token is reported with a reason. The apps of the other
    /// tokens are shut.
    case refused = "SH-12"
    /// After a request for permission, the controller's authorization is the person's answer.
    case authorization = "SH-13"
    /// Without permission, applying a shield throws and changes nothing.
    case unauthorisedApply = "SH-14"
    /// Without permission, a shield can still be cleared.
    case unauthorisedClear = "SH-15"
    /// If applying a shield fails, all shields stay unchanged.
    case failedApply = "SH-16"
    /// If clearing a shield fails, the shield stays up.
    case failedClear = "SH-17"
    /// The catalogue is sorted by label, and each token occurs once.
    case catalogueSorted = "SH-18"
    /// No token of the catalogue is unresolved or refused when it is applied.
    case catalogueHolds = "SH-19"
    /// If many tasks apply and clear different shields at once, every change takes effect.
    case concurrentShields = "SH-20"
    /// If many tasks apply selections under one name at once, exactly one selection is in force at the end.
    /// It is complete and not mixed with another selection.
    case concurrentChanges = "SH-21"
    /// A call by a cancelled task either takes effect or throws.
    case cancelledCalls = "SH-22"
    /// After the next start of the app, the controller finds its shields and can clear them.
    case reopening = "SH-23"

    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .nothingAtFirst: "a new controller has no shield, and covers no token"
        case .applies: "a shield covers each app that it names, and no other app"
        case .appliesTwice: "applying the same shield again changes nothing"
        case .replaces:
            "applying a shield again replaces its selection, and uncovers apps that are no longer named"
        case .clears: "a cleared shield covers no app, and its apps open"
        case .clearsUnknown: "clearing a shield that is not applied does nothing"
        case .unites: "an app stays covered until the last shield that names it is cleared"
        case .shieldsApart: "changing one shield does not change the others"
        case .emptySelection: "applying an empty selection clears the shield"
        case .category: "a category covers the apps that belong to it, and no other app"
        case .unresolved: "a token that names nothing is reported as unresolved, and the others are covered"
        case .refused: "a token that is never covered is reported with a reason, and the others are covered"
        case .authorization: "the result of the request is the state that the authorization has from then on"
        case .unauthorisedApply: "without authorization applying reports that, and changes nothing"
        case .unauthorisedClear: "without authorization a shield can still be cleared"
        case .failedApply: "a failed apply does not change the shields"
        case .failedClear: "after a failed clear the shield is still applied"
        case .catalogueSorted: "the catalogue is sorted by label, and each token occurs once"
        case .catalogueHolds: "a token of the catalogue is neither unresolved nor refused when it is applied"
        case .concurrentShields: "shields that are applied and cleared at once do not undo each other"
        case .concurrentChanges:
            "of several selections that are applied at once under one name, one is in force, whole"
        case .cancelledCalls: "a cancelled task's call either takes effect or throws"
        case .reopening: "a new controller finds the shields that are applied, and can clear them"
        }
    }

    /// Checks the clause on a controller.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the controller does not keep the clause.
    @discardableResult
    public func check(_ subject: ShieldControllerSubject) async throws(ContractViolation) -> ContractResult {
        try await judge {
            let probe = ShieldControllerProbe(try await subject.makePlace())
            if let reason = await reasonNotToApply(to: probe) { return .notApplicable(reason) }
            try await run(probe)
            return .kept
        }
    }

    private func reasonNotToApply(to probe: ShieldControllerProbe) async -> String? {
        let place = probe.place
        return switch self {
        case .category: place.tokens.category == nil ? "there are no categories" : nil
        case .refused: place.tokens.refused == nil ? "no token is refused" : nil
        case .unauthorisedApply, .unauthorisedClear:
            place.revoke == nil ? "the right cannot be taken away in a test" : nil
        case .failedApply, .failedClear:
            place.failNext == nil ? "the controller cannot be made to fail in a test" : nil
        case .catalogueSorted, .catalogueHolds:
            await probe.controller.catalogue() == nil ? "the system draws its own picker" : nil
        case .reopening: place.reopen == nil ? "the controller cannot be made anew in a test" : nil
        default: nil
        }
    }

    private func run(_ probe: ShieldControllerProbe) async throws {
        switch self {
        case .nothingAtFirst: try await probe.expect([:])
        case .applies: try await probe.checkApplies()
        case .appliesTwice: try await probe.checkAppliesTwice()
        case .replaces: try await probe.checkReplaces()
        case .clears: try await probe.checkClears()
        case .clearsUnknown: try await probe.checkClearsUnknown()
        case .unites: try await probe.checkUnites()
        case .shieldsApart: try await probe.checkShieldsApart()
        case .emptySelection: try await probe.checkEmptySelection()
        case .category: try await probe.checkCategory()
        case .unresolved: try await probe.checkUnresolved()
        case .refused: try await probe.checkRefused()
        case .authorization: try await probe.checkAuthorization()
        case .unauthorisedApply: try await probe.checkUnauthorisedApply()
        case .unauthorisedClear: try await probe.checkUnauthorisedClear()
        case .failedApply: try await probe.checkFailedApply()
        case .failedClear: try await probe.checkFailedClear()
        case .catalogueSorted: try await probe.checkCatalogueSorted()
        case .catalogueHolds: try await probe.checkCatalogueHolds()
        case .concurrentShields: try await probe.checkConcurrentShields()
        case .concurrentChanges: try await probe.checkConcurrentChanges()
        case .cancelledCalls: try await probe.checkCancelledCalls()
        case .reopening: try await probe.checkReopening()
        }
    }
}
