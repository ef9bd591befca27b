internal import PortcullisCore

extension NotifierProbe {
    func checkNothingAtFirst() async throws {
        try await expect([], "at first")
        try await expectPending([], "at first")
    }

    func checkNow() async throws {
        let note = LockNotification(id: "contract.ü", title: "Two\nlines", body: "A \"quote\", and 👩‍👧")
        try await notifier.deliver(note)
        try await expect([note], "one without a time")
        try await expectPending([], "one without a time")
    }

    func checkNowInOrder() async throws {
        let notes = (0..<20).map { note("\($0 % 7)", "number \($0)") }
        for note in notes { try await notifier.deliver(note) }
        try await expect(notes, "several without a time")
    }

    func checkPastDate() async throws {
        let past = [note("past"), note("long past")]
        try await schedule(past[0], at: time(-1))
        try await schedule(past[1], at: .zero)
        try await expect(past, "a time that has passed")
        try await expectPending([], "a time that has passed")
        guard manual != nil else { return }
        let present = note("present")
        try await schedule(present, at: time(0))
        try await expect(past + [present], "the present time")
        try await expectPending([], "the present time")
    }

    func checkPending() async throws {
        let (late, soon, later) = (time(120), time(60), time(180))
        try await schedule(note("late"), at: late)
        try await schedule(note("soon"), at: soon)
        try await schedule(note("later"), at: later)
        let all = [(note("soon"), soon), (note("late"), late), (note("later"), later)]
        try await expectPending(all, "after scheduling")
        guard let manual else { return await notifier.withdraw(Set(all.map(\.0.id))) }
        await manual.advance(by: .seconds(90 * 60))
        try await expect([note("soon")], "after the first came")
        try await expectPending(Array(all.dropFirst()), "after the first came")
        await manual.advance(by: .seconds(90 * 60))
        try await expect(all.map(\.0), "after all came")
        try await expectPending([], "after all came")
    }

    func checkReplaces() async throws {
        let times = [time(60), time(30), time(90)]
        for (number, time) in times.enumerated() {
            try await schedule(note("a", "number \(number)"), at: time)
            try await expectPending([(note("a", "number \(number)"), time)], "after replacing")
        }
        try await expect([], "before its time")
        guard let manual else { return await notifier.withdraw([note("a").id]) }
        await manual.advance(by: .seconds(120 * 60))
        try await expect([note("a", "number 2")], "a notification that was replaced twice")
    }

    func checkReplacesNow() async throws {
        try await schedule(note("a", "later"), at: time(60))
        try await schedule(note("b", "later"), at: time(60))
        try await notifier.deliver(note("a", "now"))
        try await schedule(note("b", "past"), at: time(-60))
        try await expectPending([], "after delivering now")
        await manual?.advance(by: .seconds(120 * 60))
        try await expect([note("a", "now"), note("b", "past")], "pending ones that were replaced")
    }

    func checkCancels() async throws {
        let soon = time(60)
        for id in ["a", "b", "c"] { try await schedule(note(id), at: soon) }
        await notifier.withdraw([note("a").id, note("c").id])
        try await expectPending([(note("b"), soon)], "after taking two back")
        guard let manual else { return await notifier.withdraw([note("b").id]) }
        await manual.advance(by: .seconds(120 * 60))
        try await expect([note("b")], "those that were not taken back")
    }

    func checkCancelsUnknown() async throws {
        let soon = time(60)
        try await notifier.deliver(note("shown"))
        guard scheduling != nil else {
            await notifier.withdraw([note("unknown").id])
            await notifier.withdraw([])
            return try await expect([note("shown")], "after withdrawing what is not known")
        }
        try await schedule(note("a"), at: soon)
        await notifier.withdraw([note("shown").id, note("unknown").id])
        await notifier.withdraw([])
        try await expect([note("shown")], "after taking back what is not pending")
        try await expectPending([(note("a"), soon)], "after taking back what is not pending")
        await notifier.withdraw([note("a").id])
    }

    func checkReused() async throws {
        let soon = time(60)
        try await schedule(note("a", "first"), at: soon)
        await notifier.withdraw([note("a").id])
        try await schedule(note("a", "second"), at: soon)
        try await expectPending([(note("a", "second"), soon)], "an id that is used anew")
        await manual?.advance(by: .seconds(120 * 60))
        if manual == nil { await notifier.withdraw([note("a").id]) }
        try await notifier.deliver(note("a", "third"))
        let expected = (manual == nil ? [] : [note("a", "second")]) + [note("a", "third")]
        try await expect(expected, "an id that is used anew")
    }

    func checkForbidden() async throws {
        guard let forbid = place.forbid else { return }
        try await forbid()
        for wall in scheduling == nil ? [nil] : [nil, time(-60), time(60)] {
            var code: NotifierErrorCode?
            do { try await schedule(note("a"), at: wall) } catch let error as NotifierError {
                code = error.code
            }
            guard let code else { throw Finding("delivering without the right did not throw") }
            try requireEqual(code, .notAuthorized, "the code of the error")
        }
        try await expectPending([], "without the right")
        await manual?.advance(by: .seconds(120 * 60))
        let seen = try await place.delivered()
        try require(seen.isEmpty, "\(seen.count) notifications were delivered without the right")
    }

    func checkAuthorization() async throws {
        let isAllowed = await notifier.requestAuthorization()
        try require(isAllowed, "a notifier that may notify says that it may not")
        try await notifier.deliver(note("a"))
        try await expect([note("a")], "with the right")
        guard let forbid = place.forbid else { return }
        try await forbid()
        let isStillAllowed = await notifier.requestAuthorization()
        try require(!isStillAllowed, "the answer is yes after the right was taken away")
    }
}
