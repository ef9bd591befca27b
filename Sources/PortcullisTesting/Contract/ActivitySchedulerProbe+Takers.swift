internal import PortcullisCore

extension ActivitySchedulerProbe {
    func checkSeveralTakers() async throws {
        let second = scheduler.events()
        let present = try presentSchedule()
        try await start(present.schedule)
        let third = scheduler.events()
        await scheduler.stop([name])
        let kinds: [ActivityEvent.Kind] = [.intervalDidStart, .intervalDidEnd]
        for (taker, expected) in [(stream, kinds), (second, kinds), (third, [.intervalDidEnd])] {
            try requireEqual(try await drain(taker).map(\.kind), expected, "events of one of three takers")
        }
    }

    func checkDroppedTaker() async throws {
        let present = try presentSchedule()
        do {
            let dropped = scheduler.events()
            try await start(present.schedule)
            _ = try await drain(dropped)
        }
        let cancelled = Task { [stream = scheduler.events()] in for await _ in stream {} }
        cancelled.cancel()
        await cancelled.value
        await scheduler.stop([name])
        let kinds = try await drain().map(\.kind)
        try requireEqual(kinds, [.intervalDidStart, .intervalDidEnd], "events of the taker that stayed")
        let late = scheduler.events()
        try await start(present.schedule)
        try await expect([(.intervalDidStart, present.start)], "of one that came afterwards", from: late)
    }

    func checkFromNowOn() async throws {
        let present = try presentSchedule()
        try await start(present.schedule)
        await scheduler.stop([name])
        let late = scheduler.events()
        try await start(present.schedule)
        try await expect([(.intervalDidStart, present.start)], "of a taker that came late", from: late)
    }

    func checkSlowTaker() async throws {
        let present = try presentSchedule()
        let rounds = 500
        for _ in 0..<rounds {
            try await start(present.schedule)
            await scheduler.stop([name])
        }
        let kinds = try await drain().map(\.kind)
        try requireEqual(kinds.count, 2 * rounds, "events that no task took meanwhile")
        try requireAlternation(kinds, startsOff: true)
    }

    func checkConcurrentChanges() async throws {
        let probe = self
        let (present, later) = (try presentSchedule().schedule, try laterSchedule())
        let second = scheduler.events()
        for _ in 0..<5 {
            try await atOnce(8) { index in
                for round in 0..<10 {
                    switch (index + round) % 4 {
                    case 0: await probe.scheduler.stop([probe.name])
                    case 1: try await probe.start(later)
                    default: try await probe.start(present)
                    }
                    await Task.yield()
                }
            }
            await scheduler.stop([name])
            let seen = try await drain().map(\.kind)
            try requireAlternation(seen, startsOff: true)
            try require(seen.count % 2 == 0, "a stopped activity did not end")
            try requireEqual(
                try await drain(second).map(\.kind),
                seen,
                "order of the events for another taker"
            )
        }
    }

    func checkCancelledCalls() async throws {
        let probe = self
        let present = try presentSchedule().schedule
        var isOn = false
        for round in 0..<20 {
            let task = Task { @concurrent in
                if round % 2 == 0 { while !Task.isCancelled { await Task.yield() } }
                if round % 4 < 2 {
                    try await probe.start(present)
                } else {
                    await probe.scheduler.stop([probe.name])
                }
            }
            task.cancel()
            _ = await task.result
            let kinds = try await drain().map(\.kind)
            try requireAlternation(kinds, startsOff: !isOn)
            if let last = kinds.last { isOn = last == .intervalDidStart }
            let isMonitored = await scheduler.monitored()[name] != nil
            try requireEqual(isMonitored, isOn, "whether it is monitored after a call that was cancelled")
        }
    }

    private func requireAlternation(_ kinds: [ActivityEvent.Kind], startsOff: Bool) throws(Finding) {
        var isOn = !startsOff
        for kind in kinds {
            switch kind {
            case .intervalDidStart: try require(!isOn, "a start came while the interval was on")
            case .intervalDidEnd: try require(isOn, "an end came while no interval was on")
            default: throw Finding("\(kind) came without a schedule for it")
            }
            isOn = kind == .intervalDidStart
        }
    }
}
