internal import AdapterKit
package import PortcullisCore

/// Passes the readings of progress on to the lock.
///
/// A source such as a file gives each reading only once. So the feed keeps a reading that the lock could not
/// store. The feed passes it on again at the next reading, or when ``storeRest()`` is called.
package actor GoalFeed {
    private let service: GoalLockService
    // Only one call at a time passes readings on. Two calls at once could store a kept reading after a newer
    // one.
    private let turn = SerialTurn()
    /// The latest value, with its date and the time since boot at which the value arrived; `nil` once the
    /// lock has stored the value.
    private var value: (progress: Double, date: CivilDate?, arrived: Duration)?
    /// The latest value, if the lock has ignored it because it belongs to another date than the lock's day;
    /// `nil` otherwise. The lock's day may become that date later, when a wrong clock or zone is corrected.
    private var ignored: (progress: Double, date: CivilDate)?
    /// Whether the progress became unreadable after the latest value, and the lock has not stored this yet.
    private var isUnreadable = false

    /// Makes a feed that passes readings on to this lock. The feed has no readings yet.
    package init(of service: GoalLockService) { self.service = service }

    /// Passes a reading on. The errors are ignored, because the service stores them in
    /// ``GoalLockService/failure``.
    package func take(_ reading: ProgressReading) async {
        await turn.begin()
        defer { turn.end() }
        switch reading {
        case .value(let progress, let date):
            value = (progress, date, service.backends.clock.now.sinceBoot)
            (ignored, isUnreadable) = (nil, false)
        case .trouble(let trouble):
            if !trouble.isOfOneLine { (ignored, isUnreadable) = (nil, true) }
        }
        await store()
    }

    /// Passes on what the lock could not store before, and a value whose date has become the lock's day.
    ///
    /// - Returns: whether everything is stored now.
    @discardableResult
    package func storeRest() async -> Bool {
        await turn.begin()
        defer { turn.end() }
        // If the status cannot be read, the value waits for the next call.
        if let ignored, (try? await service.status())?.date == ignored.date {
            value = (ignored.progress, ignored.date, service.backends.clock.now.sinceBoot)
            self.ignored = nil
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
                // After trouble, the value is older than what the source says now.
                if let date = value.date, date != status.date, !isUnreadable {
                    ignored = (value.progress, date)
                }
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
