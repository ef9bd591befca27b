import PortcullisCore
import PortcullisTesting

/// A right shield controller whose answers are written down.
struct TranscribedShields: ShieldController {
    let inner: FaultyShieldController
    let transcript: Transcript

    static func subject(_ transcript: Transcript) -> ShieldControllerSubject {
        ShieldControllerSubject {
            let inner = FaultyShieldController(.none)
            return .init(
                controller: Self(inner: inner, transcript: transcript),
                tokens: .init(
                    app: FaultyShieldController.chess,
                    otherApp: FaultyShieldController.mail,
                    category: FaultyShieldController.games,
                    refused: FaultyShieldController.shell
                ),
                isShut: { app in
                    let isShut = inner.isShut(app)
                    return transcript.answer(
                        "is \(app.rawValue) shut",
                        isShut,
                        as: "\(isShut)",
                        or: [("\(!isShut)", !isShut)]
                    )
                },
                revoke: {
                    transcript.note("revoke")
                    inner.revoke()
                },
                failNext: {
                    transcript.note("fail next")
                    inner.failNext()
                },
                reopen: {
                    transcript.note("reopen")
                    return Self(inner: inner.reopened(), transcript: transcript)
                }
            )
        }
    }

    var authorization: ShieldAuthorization {
        get async { said("authorization", await inner.authorization) }
    }

    func requestAuthorization() async -> ShieldAuthorization {
        said("request authorization", await inner.requestAuthorization())
    }

    private func said(_ question: String, _ answer: ShieldAuthorization) -> ShieldAuthorization {
        let others: [ShieldAuthorization] = [
            .approved, .notDetermined, .denied(howToAllow: "Elsewhere."), .denied(howToAllow: ""),
        ]
        return transcript.answer(
            question,
            answer,
            as: "\(answer)",
            or: others.filter { $0 != answer }.map { ("\($0)", $0) }
        )
    }

    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        try await change("apply \(Self.text(selection)) as \(shield.rawValue)") { () throws(ShieldError) in
            try await inner.apply(selection, as: shield)
        }
    }

    func clear(_ shield: ShieldName) async throws(ShieldError) {
        try await change("clear \(shield.rawValue)") { () throws(ShieldError) in
            try await inner.clear(shield)
        }
    }

    private func change(
        _ question: String,
        _ work: () async throws(ShieldError) -> Void
    ) async throws(ShieldError) {
        try await transcript.call(
            question,
            as: { "done" },
            or: { result in
                result.others(
                    ShieldError(code: .systemFailure, message: "bent"),
                    ShieldError(code: .stateUnreadable, message: "bent")
                )
            },
            work
        )
    }

    func coverage() async -> ShieldCoverage {
        let coverage = await inner.coverage()
        return transcript.answer("coverage", coverage, as: Self.text(coverage), or: Self.others(coverage))
    }

    private static func others(_ coverage: ShieldCoverage) -> [(String, ShieldCoverage)] {
        var others: [(String, ShieldCoverage)] = []
        func add(_ text: String, _ change: (inout ShieldCoverage) -> Void) {
            var other = coverage
            change(&other)
            others.append((text, other))
        }
        add("a shield more") { $0.applied[ShieldName("ghost")] = ShieldSelection() }
        add("an app more") { $0.apps[AppToken("ghost")] = .gated }
        add("a category more") { $0.categories[CategoryToken("ghost")] = .gated }
        for shield in coverage.applied.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            add("no \(shield.rawValue)") { $0.applied[shield] = nil }
            add("more under \(shield.rawValue)") { $0.applied[shield]?.apps.insert(AppToken("ghost")) }
        }
        func bent(_ state: ShieldCoverage.State) -> [ShieldCoverage.State] {
            switch state {
            case .gated, .reactive: [.unresolved, .reactive]
            case .unresolved: [.gated, .refused(reason: "bent")]
            case .refused: [.gated, .refused(reason: "")]
            }
        }
        for (app, state) in coverage.apps.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            for other in bent(state) { add("\(app.rawValue) \(other)") { $0.apps[app] = other } }
            add("no \(app.rawValue)") { $0.apps[app] = nil }
        }
        for (category, state) in coverage.categories.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            for other in bent(state) {
                add("\(category.rawValue) \(other)") { $0.categories[category] = other }
            }
            add("no \(category.rawValue)") { $0.categories[category] = nil }
        }
        return others
    }

    func catalogue() async -> ShieldCatalogue? {
        guard let catalogue = await inner.catalogue() else { return nil }
        var others: [(String, ShieldCatalogue?)] = [("none", nil)]
        func add(_ text: String, _ change: (inout ShieldCatalogue) -> Void) {
            var other = catalogue
            change(&other)
            others.append((text, other))
        }
        add("apps the other way round") { $0.apps.reverse() }
        add("an app twice") { $0.apps += $0.apps.suffix(1) }
        add("no chess") { $0.apps.removeAll { $0.token == FaultyShieldController.chess } }
        add("an app without a label") { $0.apps.insert(.init(token: AppToken("ghost"), label: ""), at: 0) }
        add("an app that is refused") {
            $0.apps += [.init(token: FaultyShieldController.shell, label: "Shell")]
        }
        add("a category twice") { $0.categories += $0.categories }
        add("a category without a label") {
            $0.categories.insert(.init(token: CategoryToken("ghost"), label: ""), at: 0)
        }
        add("a category too early") {
            $0.categories += [.init(token: CategoryToken("early"), label: "Early")]
        }
        return transcript.answer("catalogue", catalogue, as: "\(catalogue.apps.count) apps", or: others)
    }

    private static func text(_ selection: ShieldSelection) -> String {
        let names = selection.apps.map(\.rawValue).sorted() + selection.categories.map(\.rawValue).sorted()
        return "[\(names.joined(separator: ", "))]"
    }

    private static func text(_ coverage: ShieldCoverage) -> String {
        let shields = coverage.applied.sorted { $0.key.rawValue < $1.key.rawValue }
        return "[\(shields.map { "\($0.key.rawValue): \(text($0.value))" }.joined(separator: ", "))]"
    }
}
