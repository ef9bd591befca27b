internal import AdapterKit
internal import DequeModule
internal import HeapModule
internal import PortcullisCore

extension JobTable {
    /// Returns the runs that are due, in the order of their times, and finds the next times of their jobs.
    ///
    /// - Parameter isHeld: whether the journal accepts no records now. Jobs that need a record are parked
    ///   until ``unpark()``.
    mutating func takeDue(at now: Moment, isHeld: Bool) -> Plan {
        var plan = Plan()
        startReady(at: now, isHeld: isHeld, into: &plan)
        let micros = now.wall.microseconds
        while let top = heap.min, top.due <= micros {
            let index = Int(top.slot)
            // The entry is stale if its slot has another time now or was removed.
            if slots[index].due != top.due {
                heap.removeMin()
                continue
            }
            if isHeld, isJournalled(slots[index]) {
                heap.removeMin()
                parked.due.append(top.slot)
                continue
            }
            deal(with: top.slot, at: now, micros, into: &plan)
            let due = slots[index].due
            if due == .max {
                heap.removeMin()
            } else {
                heap.replaceMin(with: Entry(due: due, slot: top.slot))
            }
        }
        if plan.isCatchUp {
            // The heap gave the jobs in the order of their first due times. The plan may contain several runs
            // of one job, so the runs are sorted by their own times.
            plan.free.sort { ($0.run.scheduled, $0.slot) < ($1.run.scheduled, $1.slot) }
            plan.recorded.sort { ($0.run.scheduled, $0.slot) < ($1.run.scheduled, $1.slot) }
        }
        return plan
    }

    /// Schedules all parked jobs again. A job is parked if it needs a record while the journal accepts none.
    mutating func unpark() {
        for place in parked.due where slots[Int(place)].due != .max { schedule(place) }
        ready += parked.ready
        parked = ([], [])
    }

    /// Decides which of these runs may start, now that their records are written. Runs that may start get the
    /// present time as their start, and the present action of their job.
    ///
    /// - Returns: the runs that may start. A run is dropped if its job was removed or got another schedule
    ///   meanwhile.
    mutating func current(_ starts: [Start], at now: Moment) -> [Start] {
        var current: [Start] = []
        current.reserveCapacity(starts.count)
        for var start in starts {
            let slot = slots[Int(start.slot)]
            if slot.serial == start.serial, slot.edition == start.edition {
                start.run.started = now.wall
                start.action = slot.action
                current.append(start)
            } else {
                _ = ended(slot: start.slot, serial: start.serial)
            }
        }
        return current
    }

    /// Starts or drops the due runs of a slot, and finds its next time.
    private mutating func deal(with place: UInt32, at now: Moment, _ micros: Int, into plan: inout Plan) {
        // The slot is read in place. A copy would retain and release the slot's references at each run, which
        // costs time.
        let index = Int(place)
        let zone = zones[Int(slots[index].zone)]
        let choice = options[Int(slots[index].options)]
        // A run is due by now if its scheduled second is not later than `through`. The phase delays each run,
        // so it is subtracted.
        let through = (micros - Int(slots[index].phase) * 1_000).floored(by: 1_000_000)
        // After a change of the zone, the first time may be one of the earlier zone.
        let first = slots[index].scheduled
        var latest = first
        var count = 1
        var following = slots[index].rule.next(after: latest, in: zone)
        if let next = following, next <= through {
            plan.isCatchUp = true
            count += slots[index].rule.count(after: next - 1, through: through, in: zone)
            latest = slots[index].rule.latest(upTo: through, from: next, in: zone)
            following = slots[index].rule.next(after: latest, in: zone)
        }
        slots[index].scheduled = following ?? .max
        slots[index].last = latest
        slots[index].hasRun = true

        switch choice.missed {
        case .all(let limit) where count > 1:
            let kept = min(limit, count)
            catchUp(place, choice, from: first, upTo: latest, count: kept, of: count, at: now, into: &plan)
        case .skip where isLate(latest, slots[index], micros, choice.grace):
            slots[index].pass(count)
        default:
            slots[index].pass(count - 1)
            admit(latest, to: place, choice.overlap, isInTurn: false, at: now, into: &plan)
        }
        remember(place, boot: now.boot, in: &plan)
    }

    private func isLate(_ second: Int, _ slot: borrowing Slot, _ micros: Int, _ grace: Duration) -> Bool {
        // A run of `@reboot` is never late, because it has no time that could be missed. For other runs the
        // grace is at least one second, because every timer fires a little late.
        if slot.rule == .reboot { return false }
        return .microseconds(micros - (second * 1_000_000 + Int(slot.phase) * 1_000))
            > max(grace, .seconds(1))
    }

    /// Makes up for the latest `count` of the missed runs from `first` to `latest`, in the order of their
    /// times.
    private mutating func catchUp(
        _ place: UInt32,
        _ choice: Options,
        from first: Int,
        upTo latest: Int,
        count: Int,
        of all: Int,
        at now: Moment,
        into plan: inout Plan
    ) {
        let index = Int(place)
        let zone = zones[Int(slots[index].zone)]
        var seconds = [latest]
        while seconds.count < count {
            let earlier = slots[index].rule.previous(before: seconds[seconds.count - 1], in: zone)
            seconds.append(max(earlier ?? first, first))
        }
        slots[index].pass(all - seconds.count)
        var isInTurn = false
        for second in seconds.reversed() {
            isInTurn = admit(second, to: place, choice.overlap, isInTurn: isInTurn, at: now, into: &plan)
        }
    }

    /// Starts a run, lets it wait or drops it, as the overlap policy says.
    ///
    /// - Parameter isInTurn: whether an earlier missed run of the same job was admitted just before. If so,
    ///   this run waits for its turn under every policy except ``OverlapPolicy/concurrent``.
    /// - Returns: whether the run starts or waits; `false` if the run is dropped.
    @discardableResult
    private mutating func admit(
        _ second: Int,
        to place: UInt32,
        _ overlap: OverlapPolicy,
        isInTurn: Bool,
        at now: Moment,
        into plan: inout Plan
    ) -> Bool {
        let isBusy = slots[Int(place)].running > 0 || isAnyWaiting(place)
        let mayWait: Bool
        switch overlap {
        case .concurrent: mayWait = false
        case .skip: mayWait = isInTurn
        case .queue(let limit): mayWait = isInTurn || waiting[place]?.count ?? 0 < limit
        }
        if !isBusy || overlap == .concurrent {
            let missed = slots[Int(place)].takePassed()
            start(second, of: place, missed: missed, at: now, into: &plan)
        } else if mayWait {
            waiting[place, default: []].enqueue(second, missed: slots[Int(place)].takePassed())
        } else {
            slots[Int(place)].pass(1)
            return false
        }
        return true
    }

    private func isAnyWaiting(_ place: UInt32) -> Bool { !waiting.isEmpty && waiting[place] != nil }

    /// Starts the first waiting run of each job whose run has ended. If the job's policy is
    /// ``OverlapPolicy/concurrent`` by now, all its waiting runs start.
    private mutating func startReady(at now: Moment, isHeld: Bool, into plan: inout Plan) {
        let places = ready
        ready = []
        for place in places {
            // If the job was removed or got another schedule, its waiting runs are gone. A record would then
            // say falsely that the slot's present job has run.
            guard waiting[place] != nil else { continue }
            let choice = options[Int(slots[Int(place)].options)]
            if isHeld, isJournalled(slots[Int(place)]) {
                parked.ready.append(place)
                continue
            }
            while slots[Int(place)].running == 0 || choice.overlap == .concurrent,
                let wait = waiting[place]?.popFirst()
            {
                start(wait.second, of: place, missed: wait.missed, at: now, into: &plan)
            }
            if waiting[place]?.isEmpty == true { waiting[place] = nil }
            remember(place, boot: now.boot, in: &plan)
        }
    }

    private mutating func start(
        _ second: Int,
        of place: UInt32,
        missed: Int,
        at now: Moment,
        into plan: inout Plan
    ) {
        let index = Int(place)
        slots[index].running += 1
        let run = CronRun(
            job: slots[index].name,
            scheduled: slots[index].time(of: second),
            started: now.wall,
            missed: missed
        )
        let start = Start(
            run: run,
            action: slots[index].action,
            slot: place,
            serial: slots[index].serial,
            edition: slots[index].edition
        )
        if isJournalled(slots[index]) {
            plan.recorded.append(start)
        } else {
            plan.free.append(start)
        }
    }
}

extension JobTable.Slot {
    /// The wall time of a scheduled second. The pauses of an `@every` rule may begin at a fraction of a
    /// second, which the result includes.
    func time(of second: Int) -> Duration {
        if case .every = rule { return .seconds(second) + .milliseconds(phase) }
        return .seconds(second)
    }

    /// The wall time of the last second that was handled.
    var lastTime: Duration { time(of: last) }

    /// Counts runs that do not take place.
    mutating func pass(_ count: Int) {
        passed = UInt32(clamping: Int(passed) + count)
    }

    /// Returns the number of runs that did not take place since the last call, and resets it.
    mutating func takePassed() -> Int {
        defer { passed = 0 }
        return Int(passed)
    }
}

extension CronExpression.Rule {
    /// The number of times at which the rule fires from the second after `first` to the second `last`,
    /// inclusive.
    ///
    /// For an `@every` rule, the second after `first` must be a time of the rule.
    func count(after first: Int, through last: Int, in zone: ZoneRules) -> Int {
        switch self {
        case .fields(let sets): sets.count(after: first, through: last, in: zone)
        case .every(let pause): (last - first - 1) / pause + 1
        case .reboot: 1
        }
    }

    /// The last second at which the rule fires, not later than `second`. The rule must also fire at `known`,
    /// and `known` must not be later than `second`. So the result is `known` or later.
    func latest(upTo second: Int, from known: Int, in zone: ZoneRules) -> Int {
        switch self {
        case .fields(let sets): sets.previous(before: second + 1, in: zone) ?? known
        case .every(let pause): known + (second - known) / pause * pause
        case .reboot: known
        }
    }
}
