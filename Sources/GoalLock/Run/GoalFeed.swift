internal import AdapterKit
package import PortcullisCore

/// Passes the readings of progress on to the lock.
///
/// A source such as a file gives each reading only once. So the feed keeps a reading that the lock could not
/// store. The next call of ``take(_:)`` or ``storeRest()`` passes the kept reading on again, unless the call
/// brings a newer value.
package actor GoalFeed {
    private let service: GoalLockService
    // Only one call at a time passes readings on. Two calls at once could store a kept reading after a newer
    // one.
    private let turn = SerialTurn()
    /// The latest value, with its date and the time since boot at which the value arrived; `nil` once the
    /// lock has stored the value.
    private var value: (progress: Double, date: CivilDate?, arrived: Duration)?
    /// The latest value, if the value has a date; `nil` while the progress is unreadable. The lock ignores a
    /// value of another date than the lock's day, and forgets its progress when its day changes. When a wrong
    /// clock or zone is corrected, the lock's day may become the value's date. So the feed keeps the value,
    /// to pass it on then.
    private var dated: (progress: Double, date: CivilDate)?
    /// Whether the lock has ignored the value in `dated`.
    private var isIgnored = false
    /// Whether the progress became unreadable after the latest value, and the lock has not stored this yet.
    private var isUnreadable = false

    /// Makes a feed that passes readings on to this lock. The feed has no readings yet.
    package init(of service: GoalLockService) { self.service = service }

    /// Passes a reading on. The errors are ignored, because the service stores them in
    /// ``GoalLockService/failure``.
    ///
    /// - Parameter arrived: the time since boot at which the reading arrived; `nil`: now. A value without a
    ///   date belongs to the day of this time, even if the lock stores the value later.
    package func take(_ reading: ProgressReading, arrived: Duration? = nil) async {
        let arrived = arrived ?? service.backends.clock.now.sinceBoot
        await turn.begin()
        defer { turn.end() }
        note(reading, arrived: arrived)
        await store()
    }

    /// Keeps a reading that arrived at the time `arrived` since boot. The next call of ``take(_:arrived:)``
    /// or ``storeRest()`` passes it on. A later value replaces a kept one. So at the end of a run a value that
    /// was corrected at once is not stored.
    func keep(_ reading: ProgressReading, arrived: Duration) async {
        await turn.begin()
        defer { turn.end() }
        note(reading, arrived: arrived)
    }

    private func note(_ reading: ProgressReading, arrived: Duration) {
        switch reading {
        case .value(let progress, let date):
            value = (progress, date, arrived)
            dated = date.map { (progress, $0) }
            (isIgnored, isUnreadable) = (false, false)
        case .trouble(let trouble):
            if !trouble.isOfOneLine { (dated, isUnreadable) = (nil, true) }
        }
    }

    /// Passes on what the lock could not store before.
    ///
    /// A value may have a date that was not yet the lock's day when the value came. When the lock's day is
    /// this date, the latest value is passed on again, if the lock ignored the value or has no progress of
    /// that day.
    ///
    /// - Returns: whether everything is stored now.
    @discardableResult
    package func storeRest() async -> Bool {
        await turn.begin()
        defer { turn.end() }
        // If the status cannot be read, the value waits for the next call.
        if value == nil, let dated, let status = try? await service.status(), status.date == dated.date,
            isIgnored || status.progress == 0 && dated.progress > 0
        {
            value = (dated.progress, dated.date, service.backends.clock.now.sinceBoot)
            isIgnored = false
        }
        await store()
        return value == nil && !isUnreadable
    }

    private func store() async {
        if let value {
            do throws(GoalError) {
                let status = try await service.update(
                    progress: value.progress,
                    of: value.date,
                    arrived: value.arrived
                )
                isIgnored = value.date.map { $0 != status.date } ?? false
            } catch  where error.isAboutState {
                return
            } catch {
                // Either the value is stored and a later step failed, or the value is not valid progress. In
                // both cases there is nothing to store again.
            }
            self.value = nil
        }
        if isUnreadable {
            do throws(GoalError) {
                _ = try await service.noteUnreadableProgress()
            } catch  where error.isAboutState {
                return
            } catch {
                // The lock has stored that the progress is unreadable, and a later step failed.
            }
            isUnreadable = false
        }
    }
}
