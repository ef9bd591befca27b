internal import AdapterKit
internal import PortcullisCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A note that the lock was released by force, which `focus status` shows.
struct ForcedReleaseNote: Codable, Sendable, Hashable {
    /// When, as time since 1970-01-01T00:00:00Z.
    var wall: Duration
    /// The id of the user who did.
    var user: UInt32

    /// The item that holds the last one: `forced` of the device, apart from the lock's own state.
    private static var name: SecretName { SecretName(.device, in: .library("forced")) }

    /// When, as ISO 8601 writes it; `nil` for what no clock shows.
    var time: String? { parts(at: .zero).map { "\($0.date)T\($0.time)Z" } }

    /// When, as clocks so far ahead of UTC show it; `nil` for what none shows.
    func localTime(ahead offset: Duration) -> String? {
        parts(at: offset).map { "\($0.date) \($0.time.dropLast(3))" }
    }

    private func parts(at offset: Duration) -> (date: CivilDate, time: String)? {
        // Before it is added: a damaged note may hold any number.
        guard (86_400..<253_402_214_400).contains(wall.components.seconds) else { return nil }
        let seconds = (wall + offset).components.seconds
        let inDay = Int(seconds % 86_400)
        let parts = [inDay / 3_600, inDay / 60 % 60, inDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return (CivilDate(daysSinceEpoch: Int(seconds / 86_400)), parts.joined(separator: ":"))
    }

    /// Reads the last note; `nil` when there is none, or none that can be understood.
    static func read(from store: any SecretStore) async throws(SecretStoreError) -> ForcedReleaseNote? {
        guard let item = try await store.read(name) else { return nil }
        let data = item.value.withBytes { bytes in Data(bytes.indices.map { bytes[$0] }) }
        return try? JSONDecoder().decode(ForcedReleaseNote.self, from: data)
    }

    /// Notes it.
    func write(to store: any SecretStore) async throws {
        _ = try await store.write(
            SecretBytes(copying: try JSONEncoder().encode(self)),
            to: Self.name,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
    }
}
