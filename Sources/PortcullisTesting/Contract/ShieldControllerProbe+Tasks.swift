internal import PortcullisCore

extension ShieldControllerProbe {
    func checkConcurrentShields() async throws {
        let probe = self
        let names = (0..<8).map { ShieldName("contract.shield-\($0)") }
        func atOnce(
            _ call: @escaping @Sendable @concurrent (ShieldName) async throws(ShieldError) -> Void
        ) async throws {
            try await withThrowingTaskGroup { group in
                for name in names { group.addTask { try await call(name) } }
                try await group.waitForAll()
            }
        }
        for _ in 0..<3 {
            try await atOnce { name throws(ShieldError) in
                try await probe.controller.apply(probe.selection(probe.app), as: name)
            }
            try await expect(Dictionary(uniqueKeysWithValues: names.map { ($0, selection(app)) }))
            try await atOnce { name throws(ShieldError) in try await probe.controller.clear(name) }
            try await expect([:])
        }
    }

    func checkConcurrentChanges() async throws {
        let probe = self
        let choices = [selection(app), selection(otherApp), selection(app, otherApp)]
        for _ in 0..<5 {
            try await withThrowingTaskGroup { group in
                for choice in choices + choices {
                    group.addTask { @concurrent in
                        try await probe.controller.apply(choice, as: probe.daily)
                    }
                }
                try await group.waitForAll()
            }
            let applied = await controller.coverage().applied[daily]
            guard let applied, choices.contains(applied) else {
                throw Finding(
                    "what is in force is \(applied.map { "\($0)" } ?? "nothing"), which no task applied"
                )
            }
            try await expect([daily: applied])
        }
    }

    func checkCancelledCalls() async throws {
        let probe = self
        for round in 0..<6 {
            let task = Task { @concurrent in
                if round % 2 == 0 { while !Task.isCancelled { await Task.yield() } }
                try await probe.controller.apply(probe.selection(probe.app), as: probe.daily)
            }
            task.cancel()
            switch await task.result {
            case .success: try await expect([daily: selection(app)])
            case .failure: try await expect([:])
            }
            try await controller.clear(daily)
        }
    }
}
