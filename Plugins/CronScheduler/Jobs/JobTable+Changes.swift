internal import HeapModule
internal import PortcullisCore

extension JobTable {
    /// How far the wall clock may be set back and still count as a correction, for which nothing runs twice:
    /// three hours, as in Vixie cron (cron(8)).
    static let correction = 3 * 3_600

    /// Takes a job on.
    ///
    /// A job of the same name is replaced: with an equal schedule it keeps its times, with another one it begins
    /// anew; in both cases the runs that go on count.
    ///
    /// - Parameters:
    ///   - zone: the place of its zone.
    ///   - record: what the journal knows of it and its present schedule.
    mutating func add(_ job: CronJob, zone: UInt16, record: RunRecord?, at now: Moment) {
        let rule = job.expression.rule
        let options = place(of: Options(overlap: job.overlap, missed: job.missed, grace: job.grace))
        let second = now.wall.wholeSeconds
        var slot = Slot(
            name: job.name,
            action: job.action,
            rule: rule,
            scheduled: .max,
            last: second,
            zone: zone,
            hasRun: false,
            phase: 0,
            options: options,
            serial: 0
        )
        if case .every = rule {
            slot.phase = UInt32((now.wall.microseconds - second * 1_000_000) / 1_000)
        } else if job.jitter > .zero {
            var hash = StableHash()
            hash.combine(job.name.rawValue)
            slot.phase = UInt32(hash.value % UInt64(job.jitter.microseconds / 1_000 + 1))
        }
        guard let place = places[job.name] else {
            slot.serial = newSerial()
            let place = insert(slot)
            begin(place, record: record, at: now)
            return schedule(place)
        }
        let old = slots[Int(place)]
        slot.running = old.running
        slot.serial = old.serial
        slots[Int(place)] = slot
        if old.rule == rule, old.zone == zone {
            slots[Int(place)].keepTimes(of: old)
        } else {
            waiting[place] = nil
            begin(place, record: nil, at: now)
        }
        schedule(place)
    }

    private mutating func insert(_ slot: Slot) -> UInt32 {
        let place: UInt32
        if let last = free.popLast() {
            place = last
            slots[Int(place)] = slot
        } else {
            place = UInt32(slots.count)
            // By eighths and not by doubling, which would leave half of the memory unused at worst.
            if slots.count == slots.capacity { slots.reserveCapacity(slots.count + slots.count / 8 + 16) }
            slots.append(slot)
        }
        places[slot.name] = place
        return place
    }

    /// Finds a slot's first time.
    private mutating func begin(_ place: UInt32, record: RunRecord?, at now: Moment) {
        let index = Int(place)
        let slot = slots[index]
        let zone = zones[Int(slot.zone)]
        if slot.rule == .reboot {
            // Due at once; a boot that the journal has seen is over with.
            slots[index].scheduled = record?.boot == now.boot ? .max : slot.last
            return
        }
        if let record, options[Int(slot.options)].missed != .skip {
            let known = record.last.wholeSeconds
            // A time further ahead was written by a clock that was wrong.
            let isTrusted = slot.rule.isFixed && known - slot.last <= Self.correction
            slots[index].last = isTrusted ? known : min(known, slot.last)
            slots[index].hasRun = true
            if case .every = slot.rule {
                slots[index].phase = UInt32((record.last.microseconds - known * 1_000_000) / 1_000)
            }
        }
        slots[index].scheduled = slot.rule.next(after: slots[index].last, in: zone) ?? .max
    }

    /// Lets jobs go; their runs go on.
    mutating func remove(_ names: Set<ActivityName>) {
        for name in names {
            guard let place = places.removeValue(forKey: name) else { continue }
            let index = Int(place)
            slots[index].scheduled = .max
            slots[index].serial = 0
            slots[index].action = { _ in }
            slots[index].name = ActivityName("")
            waiting[place] = nil
            free.append(place)
        }
        ready.removeAll { slots[Int($0)].serial == 0 }
        if heap.count > 64, heap.count > 2 * places.count { rebuildHeap() }
    }

    /// Counts a run's end.
    ///
    /// - Returns: whether another one that waited can start now.
    mutating func ended(slot: UInt32, serial: UInt32) -> Bool {
        // The slot may have gone to another job meanwhile.
        guard slots[Int(slot)].serial == serial else { return false }
        slots[Int(slot)].running -= 1
        guard slots[Int(slot)].running == 0, waiting[slot] != nil else { return false }
        ready.append(slot)
        return true
    }

    /// Whether the wall clock was set since the times were found; slewing moves both clocks.
    func isOutOfStep(with now: Moment) -> Bool { abs(now.skew - skew) > 100_000 }

    /// Finds all times anew after the wall clock was set or the zone changed.
    ///
    /// What is due by now stays so: a clock that was set forward makes runs missed.
    mutating func recalculate(at now: Moment) {
        let shift = now.skew - skew
        skew = now.skew
        let second = now.wall.wholeSeconds
        let micros = now.wall.microseconds
        for place in places.values {
            let index = Int(place)
            let slot = slots[index]
            guard slot.scheduled != .max else { continue }
            switch slot.rule {
            case .reboot: break
            case .every:
                // A pause is a pause, whatever the clock on the wall says meanwhile.
                let due = slot.due + shift
                slots[index].scheduled = due.floored(by: 1_000_000)
                slots[index].phase = UInt32((due - slots[index].scheduled * 1_000_000) / 1_000)
                slots[index].last += shift.floored(by: 1_000_000)
            case .fields where slot.due <= micros: break
            case .fields:
                let isCorrection = slot.rule.isFixed && slot.last - second <= Self.correction
                if !isCorrection { slots[index].last = min(slot.last, second) }
                let from = max(slots[index].last, second)
                slots[index].scheduled = slot.rule.next(after: from, in: zones[Int(slot.zone)]) ?? .max
            }
        }
        rebuildHeap()
    }

    /// What the journal remembers when a slot has dealt with a second.
    func record(of place: UInt32, last second: Int, boot: BootID) -> RunRecord {
        let slot = slots[Int(place)]
        let zone = slot.zone == 0 ? nil : zones[Int(slot.zone)].name
        return RunRecord(schedule: slot.rule.digest(zone: zone), last: slot.time(of: second), boot: boot)
    }
}

extension Int {
    /// The quotient, rounded down.
    func floored(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension JobTable.Slot {
    /// Goes on where another slot with the same schedule was.
    fileprivate mutating func keepTimes(of other: Self) {
        (last, scheduled, passed, hasRun) = (other.last, other.scheduled, other.passed, other.hasRun)
        if case .every = rule { phase = other.phase }
    }
}

extension CronExpression.Rule {
    /// Whether it fires at fixed wall times, which a clock that is set back shows twice.
    var isFixed: Bool {
        guard case .fields(let sets) = self else { return false }
        return !sets.isElapsed
    }
}
