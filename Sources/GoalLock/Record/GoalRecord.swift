#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import PortcullisCore

/// All that the goal lock knows: one item in the store, changed as a whole.
///
/// The layout has a version. What cannot be understood is an error and never "no state": that would lift shields.
package struct GoalRecord: Sendable, Hashable, Codable {
    package static let currentVersion = 1

    package var version = Self.currentVersion
    package var isEnabled = false
    package var selection = ShieldSelection()
    package var goal: Double
    /// What the goal is called on a shield that another process draws.
    package var title: String
    package var dayStart: TimeOfDay
    /// Today and how it is known; `nil` before the first event.
    package var day: DayMark?
    /// How far the person got on the date of ``day``.
    package var progress: Double = 0
    /// The dates on which the goal was reached.
    package var granted = DateSet()
    /// The dates of which the person was told. More than the last one, because a date can be met again.
    package var notified = DateSet()
    /// `true` or nothing: a record of before this was noted can be read, and so can this one by an older version.
    private var unreadable: Bool?

    /// The state before anything was set.
    package init(goal: Double, title: String = "", dayStart: TimeOfDay = .midnight) {
        self.goal = goal
        self.title = title
        self.dayStart = dayStart
    }

    /// Whether the host could not read the progress when it tried last.
    package var isProgressUnreadable: Bool {
        get { unreadable ?? false }
        set { unreadable = newValue ? true : nil }
    }
}

extension TimeOfDay {
    /// 00:00.
    package static let midnight = TimeOfDay(minutes: 0)

    init(minutes: Int) {
        guard let time = TimeOfDay(hour: minutes / 60, minute: minutes % 60) else {
            preconditionFailure("a day has 1,440 minutes")
        }
        self = time
    }

    var minutes: Int { hour * 60 + minute }

    /// Whether it is a time of day: one that was read from a store need not be.
    var isSane: Bool { (0...23).contains(hour) && (0...59).contains(minute) }
}

extension GoalRecord {
    private struct VersionOnly: Codable { var version: Int }

    /// Reads a record as the store had it.
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

    /// Whether every number is one that this library could have written: what follows counts on it.
    private var isSane: Bool {
        version >= 1 && dayStart.isSane && GoalRules.isValid(goal: goal)
            && GoalRules.isValid(progress: progress)
            && GoalRules.isValid(dayStart: dayStart) && day?.isSane ?? true
    }

    /// The record as the store keeps it.
    ///
    /// - Throws: ``GoalErrorCode/damagedRecord`` when a value in it cannot be written.
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
