internal import AdapterKit
internal import PortcullisCore

/// The writes of the ``LockMark``.
extension LockSession {
    /// Writes a mark after the writes that were begun before.
    func persist(_ mark: LockMark) -> Task<Void, Never> {
        let previous = lastWrite
        let task = Task {
            await previous?.value
            await write(mark)
        }
        lastWrite = task
        return task
    }

    private func write(_ mark: LockMark) async {
        do {
            try await service.noting(.lock) { () throws(PasscodeError) in try await service.setLock(mark) }
            failure = nil
            // This write may hold an earlier mark, for example if a write before it failed and made the app
            // lock. The store then still lacks the present mark.
            if mark == rules.mark || !rules.isArmed { isUnwritten = false }
        } catch {
            failure = error
            isUnwritten = true
            writeAgain()
            // `take` would repeat the failed write at once. `writeAgain` repeats it later, so only the new
            // state is announced here.
            for case .announce(let state) in rules.handle(.markLost, at: clock.now) { observers.send(state) }
        }
    }

    /// Starts to write the present mark again, until the store has it. A lock that only this process knows would
    /// end with the process.
    private func writeAgain() {
        guard rewriting == nil else { return }
        let backOff = BackOff(immediateTries: 0, first: .seconds(1), limit: .seconds(60), draw: { 1 }) {
            [clock] wait in
            // The sleep of a cancelled task throws. `lacksMark` then writes nothing.
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + wait))
        }
        rewriting = Task(executorPreference: executor) { [weak self] in
            var tries = 0
            repeat {
                await backOff.wait(after: tries)
                tries += 1
            } while await self?.lacksMark() ?? false
        }
    }

    /// Writes the mark once more, unless the store has it.
    ///
    /// - Returns: whether the store still lacks the mark.
    private func lacksMark() async -> Bool {
        if !Task.isCancelled, isUnwritten, rules.isArmed { await persist(rules.mark).value }
        guard isUnwritten, rules.isArmed else {
            rewriting = nil
            return false
        }
        return !Task.isCancelled
    }
}
