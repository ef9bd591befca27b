internal import PortcullisCore
internal import Synchronization

extension NotifierProbe {
    func checkConcurrentDeliveries() async throws {
        let probe = self
        let notes = (0..<64).map { note("\($0)") }
        let soon = time(60)
        // Every second notification has a time, if the notifier accepts times.
        let later = scheduling == nil ? [] : Set(notes.indices.filter { $0 % 2 == 1 })
        try await withThrowingTaskGroup { group in
            for (number, note) in notes.enumerated() {
                group.addTask { @concurrent in
                    try await probe.schedule(note, at: later.contains(number) ? soon : nil)
                }
            }
            try await group.waitForAll()
        }
        let isMoved = manual != nil
        let waiting = Set(await pending().map(\.notification))
        try requireEqual(
            waiting,
            Set(later.map { notes[$0] }),
            "what is pending"
        )
        await manual?.advance(by: .seconds(3_600))
        if !isMoved { await notifier.withdraw(Set(waiting.map(\.id))) }
        let expected = notes.indices.filter { isMoved || !later.contains($0) }.map { notes[$0] }
        try await expect(expected, "notifications from many tasks", ordered: false)
    }

    func checkConcurrentReplacements() async throws {
        let probe = self
        let soon = time(60)
        for round in 0..<4 {
            try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask { @concurrent in
                        try await probe.schedule(probe.note("a", "\(round) \(number)"), at: soon)
                    }
                }
                try await group.waitForAll()
            }
            let waiting = await pending()
            try require(waiting.count == 1, "\(waiting.count) are pending under one id")
        }
        let last = await pending().map(\.notification)
        await manual?.advance(by: .seconds(3_600))
        if manual == nil { await notifier.withdraw([note("a").id]) }
        try await expect(manual == nil ? [] : last, "the one that was pending")
    }

    func checkCancelledCalls() async throws {
        let probe = self
        var expected: [LockNotification] = []
        for round in 0..<6 {
            let note = note("\(round)")
            let task = Task { @concurrent in
                if round % 2 == 0 { while !Task.isCancelled { await Task.yield() } }
                try await probe.notifier.deliver(note)
            }
            task.cancel()
            if case .success = await task.result { expected.append(note) }
        }
        try await expect(expected, "calls of cancelled tasks that did not throw")
    }

    func checkStuckReader() async throws {
        guard let setStuck = place.setStuck else { return }
        try await setStuck(true)
        let probe = self
        let taken = Mutex<(notes: [LockNotification], calls: Int)>(([], 0))
        let count = 600
        let caller = Task { @concurrent in
            for number in 0..<count {
                let note = probe.note("\(number)")
                // A notifier may throw when it cannot accept more. Only the accepted notifications are
                // expected.
                let isTaken = (try? await probe.notifier.deliver(note)) != nil
                taken.withLock { taken in
                    if isTaken { taken.notes.append(note) }
                    taken.calls += 1
                }
            }
        }
        let isFree = try await wait { taken.withLock { $0.calls } == count }
        try await setStuck(false)
        await caller.value
        try require(isFree, "a caller was held up by a reader that takes nothing")
        try await expect(taken.withLock { $0.notes }, "what was taken while the reader was stuck")
    }
}
