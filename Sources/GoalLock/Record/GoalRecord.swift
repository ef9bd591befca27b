#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import PortcullisCore

/// The goal lock's whole state. It is one item in the store and is changed as a whole.
///
/// The layout has a version. A record that cannot be understood is an error. It never counts as a missing
/// state, because a missing state means that the lock is off and the shield is lifted.
package struct GoalRecord: Sendable, Hashable, Codable {
    package static let currentVersion = 1

    package var version = Self.currentVersion
    package var isEnabled = false
    package var selection = ShieldSelection()
    package var goal: Double
    /// The goal's name, for a shield that another process draws.
    package var title: String
    package var dayStart: TimeOfDay
    /// The current date, with the clock times at which the lock read it; `nil` before the first event.
    package var day: DayMark?
    /// The progress on the date of ``day``.
    package var progress: Double = 0
    /// The dates on which the goal was reached.
    package var granted = DateSet()
    /// The dates whose notification counts as sent. The last date alone would not suffice, because an earlier
    /// date can become the current date again.
    package var notified = DateSet()
    /// Whether the progress is unreadable: `true`, or `nil` for "no". The member is optional, because records
    /// of older versions lack it. Older versions ignore the member.
    private var unreadable: Bool?
    /// The user id of the guardian while the lock is on; `nil` if the lock is off, was switched on without a
    /// ``GoalGate``, or was switched on by an older version.
    ///
    /// The write that switches the lock on also stores this id. If several processes switch the lock on at
    /// once, the guardian is the user of the process whose write succeeded. While a lock without this id is
    /// on, the item ``GoalNames/guardian`` names the guardian.
    package var guardian: String?

    /// Makes the first state of a lock, before anything is set.
    package init(goal: Double, title: String = "", dayStart: TimeOfDay = .midnight) {
        self.goal = goal
        self.title = title
        self.dayStart = dayStart
    }

    /// Whether the host's last attempt to read the progress failed.
    package var isProgressUnreadable: Bool {
        get { unreadable ?? false }
        set { unreadable = newValue ? true : nil }
    }
}

extension TimeOfDay {
    /// The start of a date, 00:00.
    package static let midnight = TimeOfDay(minutes: 0)

    init(minutes: Int) {
        guard let time = TimeOfDay(hour: minutes / 60, minute: minutes % 60) else {
            preconditionFailure("a day has 1,440 minutes")
        }
        self = time
    }

    var minutes: Int { hour * 60 + minute }

    /// Whether hour and minute are in range. A value that was read from a store may be out of range.
    var isSane: Bool { (0...23).contains(hour) && (0...59).contains(minute) }
}

extension GoalRecord {
    private struct VersionOnly: Codable { var version: Int }

    /// Decodes a record from the store's bytes.
    ///
    /// - Throws: ``GoalErrorCode/newerRecord``, ``GoalErrorCode/damagedRecord``.
    package init(decoding value: SecretBytes) throws(GoalError) {
        let data = value.withBytes { bytes in unsafe bytes.withUnsafeBytes { buffer in unsafe Data(buffer) } }
        let decoder = JSONDecoder()
        do {
            let version = try decoder.decode(VersionOnly.self, from: data).version
            guard version <= Self.currentVersion else {
                throw GoalError(code: .newerRecord, message: "App Lock was set by a newer version")
            }
            self = try decoder.decode(GoalRecord.self, from: data)
        } catch let error as GoalError {
            throw error
        } catch {
            throw GoalError(
                code: .damagedRecord,
                message: "the state of App Lock cannot be understood; release it to start anew"
            )
        }
        guard isSane else {
            throw GoalError(code: .damagedRecord, message: "the state of App Lock holds impossible values")
        }
    }

    /// Whether every number lies in the range of numbers that this library writes. Code that uses the numbers
    /// relies on these ranges.
    private var isSane: Bool {
        version >= 1 && dayStart.isSane && GoalRules.isValid(goal: goal)
            && GoalRules.isValid(progress: progress)
            && GoalRules.isValid(dayStart: dayStart) && day?.isSane ?? true
    }

    /// Encodes the record for the store.
    ///
    /// - Throws: ``GoalErrorCode/damagedRecord`` when a value in it cannot be encoded.
    package func encoded() throws(GoalError) -> SecretBytes {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return SecretBytes(copying: try encoder.encode(self))
        } catch {
            throw GoalError(code: .damagedRecord, message: "the state of App Lock cannot be written")
        }
    }
}
