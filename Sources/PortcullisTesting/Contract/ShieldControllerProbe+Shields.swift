internal import PortcullisCore

extension ShieldControllerProbe {
    func checkApplies() async throws {
        try await controller.apply(selection(app), as: daily)
        try await expect([daily: selection(app)])
    }

    func checkAppliesTwice() async throws {
        for _ in 0..<2 { try await controller.apply(selection(app), as: daily) }
        try await expect([daily: selection(app)])
        // If a controller counted the shield twice, clearing the shield once would not take it down.
        try await controller.clear(daily)
        try await expect([:])
    }

    func checkReplaces() async throws {
        try await controller.apply(selection(app), as: daily)
        try await controller.apply(selection(otherApp), as: daily)
        try await expect([daily: selection(otherApp)])
    }

    func checkClears() async throws {
        try await controller.apply(selection(app, otherApp), as: daily)
        try await controller.clear(daily)
        try await expect([:])
    }

    func checkClearsUnknown() async throws {
        try await controller.clear(extra)
        try await controller.apply(selection(app), as: daily)
        try await controller.clear(extra)
        try await expect([daily: selection(app)])
    }

    func checkUnites() async throws {
        try await controller.apply(selection(app), as: daily)
        try await controller.apply(selection(app, otherApp), as: extra)
        try await expect([daily: selection(app), extra: selection(app, otherApp)])
        try await controller.clear(daily)
        try await expect([extra: selection(app, otherApp)])
        try await controller.clear(extra)
        try await expect([:])
    }

    func checkShieldsApart() async throws {
        try await controller.apply(selection(app), as: daily)
        try await controller.apply(selection(otherApp), as: extra)
        try await expect([daily: selection(app), extra: selection(otherApp)])
        try await controller.clear(extra)
        try await expect([daily: selection(app)])
    }

    func checkEmptySelection() async throws {
        try await controller.apply(selection(), as: extra)
        try await controller.apply(selection(app), as: daily)
        try await controller.apply(selection(), as: daily)
        try await expect([:])
    }

    func checkCategory() async throws {
        guard let category = place.tokens.category else { return }
        let chosen = selection(categories: [category])
        try await controller.apply(chosen, as: daily)
        try await expect([daily: chosen], shut: [app])
        let state = await controller.coverage().categories[category]
        try require(state?.isInForce == true, "the category is \(state.map { "\($0)" } ?? "not covered")")
        try await controller.clear(daily)
        try await expect([:])
    }

    func checkUnresolved() async throws {
        let nothing = AppToken("contract.names-nothing")
        let none = CategoryToken("contract.names-nothing")
        let chosen = selection(app, nothing, categories: [none])
        try await controller.apply(chosen, as: daily)
        try await expect([daily: chosen])
        let coverage = await controller.coverage()
        try requireEqual(coverage.apps[nothing], .unresolved, "the state of an app that is not there")
        try requireEqual(coverage.categories[none], .unresolved, "the state of a category that is not there")
    }

    func checkRefused() async throws {
        guard let refused = place.tokens.refused else { return }
        try await controller.apply(selection(app, refused), as: daily)
        try await expect([daily: selection(app, refused)])
        let state = await controller.coverage().apps[refused]
        guard case .refused(let reason) = state, !reason.isEmpty else {
            throw Finding("a token that is never shielded is \(state.map { "\($0)" } ?? "not covered")")
        }
        if let isShut = place.isShut {
            try require(try await !isShut(refused), "\(refused.rawValue) was refused and is shut")
        }
    }

    func checkReopening() async throws {
        guard let reopen = place.reopen else { return }
        try await controller.apply(selection(app), as: daily)
        let next = try await reopen()
        try await expect([daily: selection(app)], on: next)
        try await next.clear(daily)
        try await expect([:], on: next)
    }
}
