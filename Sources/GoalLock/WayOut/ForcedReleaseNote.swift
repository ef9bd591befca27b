internal import AdapterKit
public import PortcullisCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A record of a forced release of the goal lock. A forced release needs no passcode, but the person has to
/// wait for the ``ForcedDelay`` first. The store keeps the last record, so that it can be shown with the
/// lock's status.
public struct ForcedReleaseNote: Sendable, Hashable, Codable {
    /// The time of the release, since 1970-01-01T00:00:00Z.
    public var wall: Duration
    /// The system's user ID of the person who released the lock.
    public var user: UInt32

    /// Makes a note of a release.
    public init(wall: Duration, user: UInt32) {
        self.wall = wall
        self.user = user
    }

    /// The time in UTC as ISO 8601; `nil` if the time is before 1970-01-02 or after 9999-12-30. Only a
    /// damaged note or a wrong clock gives such a time.
    public var time: String? { parts(at: .zero).map { "\($0.date)T\($0.time)Z" } }

    /// The local time in a zone that is `offset` ahead of UTC, such as `2026-11-21 08:30`; `nil` if ``time``
    /// is `nil`.
    public func localTime(ahead offset: Duration) -> String? {
        parts(at: offset).map { "\($0.date) \($0.time.dropLast(3))" }
    }

    private func parts(at offset: Duration) -> (date: CivilDate, time: String)? {
        // The check comes before the addition. A damaged note may hold any number, and the sum could
        // overflow.
        guard (86_400..<253_402_214_400).contains(wall.components.seconds) else { return nil }
        let seconds = (wall + offset).components.seconds
        let inDay = Int(seconds % 86_400)
        let parts = [inDay / 3_600, inDay / 60 % 60, inDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return (CivilDate(daysSinceEpoch: Int(seconds / 86_400)), parts.joined(separator: ":"))
    }

    /// Reads the note of the last release. The call needs only the store.
    ///
    /// - Returns: the note; `nil` when there is none, or when it cannot be understood.
    /// - Throws: ``GoalErrorCode/store``.
    public static func last(in store: any SecretStore) async throws(GoalError) -> ForcedReleaseNote? {
        let item: StoredSecret?
        do { item = try await store.read(GoalNames.forcedRelease) } catch { throw GoalError(error) }
        guard let item else { return nil }
        let data = item.value.withBytes { bytes in Data(bytes.indices.map { bytes[$0] }) }
        return try? JSONDecoder().decode(ForcedReleaseNote.self, from: data)
    }

    /// Stores this release as the last forced release.
    ///
    /// - Throws: ``GoalErrorCode/store``.
    public func note(in store: any SecretStore) async throws(GoalError) {
        let encoded: Data
        do { encoded = try JSONEncoder().encode(self) } catch {
            preconditionFailure("two numbers can always be written: \(error)")
        }
        do {
            _ = try await store.write(
                SecretBytes(copying: encoded),
                to: GoalNames.forcedRelease,
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
        } catch {
            throw GoalError(error)
        }
    }

    /// Does the same as ``note(in:)``, but waits for a limited time only. After that time the write is
    /// cancelled, and this call throws. A write that ignores the cancellation continues in the background.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - limit: the longest wait, by the boot clock.
    ///   - clock: measures the limit.
    /// - Throws: ``GoalErrorCode/timedOut`` when the time is over, and the errors of ``note(in:)``.
    public func note(
        in store: any SecretStore,
        within limit: Duration,
        by clock: any LockClock
    ) async throws(GoalError) {
        let done = try await clock.answer(within: limit) { () async throws(GoalError) -> Bool in
            try await note(in: store)
            return true
        }
        if done == nil { throw GoalError(code: .timedOut, message: "noting the release takes too long") }
    }
}
