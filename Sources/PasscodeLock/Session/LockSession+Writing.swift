internal import AdapterKit
internal import PortcullisCore

/// The writes of the ``LockMark``.
extension LockSession {
    /// Starts a task that writes a mark. The write begins when all earlier writes have ended.
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
            // `mark` may be older than `rules.mark`. For example, an earlier write may have failed and locked
            // the app while this write waited. The store then still lacks the present mark.
            if mark == rules.mark || !rules.isArmed { isUnwritten = false }
        } catch {
            failure = error
            isUnwritten = true
            writeAgain()
            // `writeAgain` repeats the failed write later, so the mark is not stored here.
            decide(.markLost, persists: false)
        }
    }

    /// Starts a task that repeats the write until the store has the present mark. If the process ended before
    /// that, the store would not show that the app is locked.
    private func writeAgain() {
        guard rewriting == nil else { return }
        let backOff = BackOff(immediateTries: 0, first: .seconds(1), limit: .seconds(60), draw: { 1 }) {
            [clock] wait in
            // The sleep throws if the task is cancelled. The error is ignored, because `lacksMark` also
            // checks for the cancellation, and then writes nothing.
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
