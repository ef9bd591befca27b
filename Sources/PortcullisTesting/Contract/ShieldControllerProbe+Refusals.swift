internal import PortcullisCore

extension ShieldControllerProbe {
    func checkAuthorization() async throws {
        for _ in 0..<2 {
            let answer = await controller.requestAuthorization()
            try requireEqual(await controller.authorization, answer, "the authorization after the answer")
            try require(answer != .notDetermined, "the question was not answered")
        }
        try await expect([:])
        guard let revoke = place.revoke else { return }
        try await revoke()
        let state = await controller.authorization
        try require(state != .approved, "the authorization is approved after it was taken away")
        if case .denied(let text?) = state {
            try require(!text.isEmpty, "a denial does not say how to allow it")
        }
    }

    func checkUnauthorisedApply() async throws {
        guard let revoke = place.revoke else { return }
        try await controller.apply(selection(app), as: daily)
        try await revoke()
        let before = await controller.coverage()
        try await expectFailure(.notAuthorized, of: "applying without the right") { () throws(ShieldError) in
            try await controller.apply(selection(otherApp), as: daily)
        }
        try await expectFailure(.notAuthorized, of: "applying without the right") { () throws(ShieldError) in
            try await controller.apply(selection(otherApp), as: extra)
        }
        try requireEqual(await controller.coverage(), before, "the coverage")
        if let isShut = place.isShut {
            try require(try await !isShut(otherApp), "\(otherApp.rawValue) is shut without the right")
        }
    }

    func checkUnauthorisedClear() async throws {
        guard let revoke = place.revoke else { return }
        try await controller.apply(selection(app), as: daily)
        try await revoke()
        try await controller.clear(daily)
        try await expect([:])
    }

    func checkFailedApply() async throws {
        guard let failNext = place.failNext else { return }
        for shields: [ShieldName: ShieldSelection] in [[:], [daily: selection(app)]] {
            for (name, selection) in shields { try await controller.apply(selection, as: name) }
            try await failNext()
            try await expectFailure(nil, of: "an apply that fails") { () throws(ShieldError) in
                try await controller.apply(selection(app, otherApp), as: daily)
            }
            try await expect(shields)
        }
        try await controller.apply(selection(app, otherApp), as: daily)
        try await expect([daily: selection(app, otherApp)])
    }

    func checkFailedClear() async throws {
        guard let failNext = place.failNext else { return }
        try await controller.apply(selection(app), as: daily)
        try await failNext()
        try await expectFailure(nil, of: "a clear that fails") { () throws(ShieldError) in
            try await controller.clear(daily)
        }
        try await expect([daily: selection(app)])
        try await controller.clear(daily)
        try await expect([:])
    }

    func checkCatalogueSorted() async throws {
        guard let catalogue = await controller.catalogue() else { return }
        try checkList(catalogue.apps, "app")
        try checkList(catalogue.categories, "category")
        try require(catalogue.apps.contains { $0.token == app }, "\(app.rawValue) is not in the catalogue")
    }

    private func checkList<Token>(_ entries: [ShieldCatalogue.Entry<Token>], _ what: String) throws {
        let labels = entries.map { $0.label.lowercased() }
        try requireEqual(labels, labels.sorted(), "the \(what) labels")
        try require(Set(entries.map(\.token)).count == entries.count, "an \(what) token occurs twice")
        try require(labels.allSatisfy { !$0.isEmpty }, "an \(what) has no label")
    }

    func checkCatalogueHolds() async throws {
        guard let catalogue = await controller.catalogue() else { return }
        let all = ShieldSelection(
            apps: Set(catalogue.apps.map(\.token)),
            categories: Set(catalogue.categories.map(\.token))
        )
        try await controller.apply(all, as: daily)
        let coverage = await controller.coverage()
        try await controller.clear(daily)
        for app in all.apps {
            try require(coverage.apps[app]?.isInForce == true, "\(app.rawValue) is listed, but not in force")
        }
        for category in all.categories {
            let isInForce = coverage.categories[category]?.isInForce == true
            try require(isInForce, "\(category.rawValue) is listed, but not in force")
        }
    }
}
