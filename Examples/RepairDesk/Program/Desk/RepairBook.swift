internal import Foundation
internal import PortcullisCore

/// Something that was brought to be repaired.
struct Repair: Codable, Sendable, Hashable {
    /// How far it is.
    enum Stage: String, Codable, Sendable, CaseIterable {
        case received
        case inWork = "in work"
        case ready
        case handedOut = "handed out"
    }

    var number: Int
    var thing: String
    var customer: String
    var stage = Stage.received
}

/// The repairs, kept in the device's store.
struct RepairBook: Sendable {
    private let store: any SecretStore
    private let name: SecretName

    init(store: any SecretStore) throws(SecretStoreError) {
        self.store = store
        self.name = try SecretName("repairs", in: try SecretNamespace("repair-desk"))
    }

    private static let first = [
        Repair(number: 1_041, thing: "Bicycle, rear wheel", customer: "carl", stage: .ready),
        Repair(number: 1_042, thing: "Radio, no sound", customer: "dora", stage: .inWork),
        Repair(number: 1_043, thing: "Toaster, burns", customer: "carl"),
        Repair(number: 1_044, thing: "Sewing machine, belt", customer: "emil"),
    ]

    func repairs() async throws -> [Repair] { try Self.repairs(in: try await store.read(name)) }

    private static func repairs(in item: StoredSecret?) throws -> [Repair] {
        guard let item else { return first }
        let bytes = item.value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return try JSONDecoder().decode([Repair].self, from: Data(bytes))
    }

    /// Brings a repair one stage further; two desks at once lose nothing.
    func advance(_ number: Int) async throws -> [Repair] {
        while true {
            let item = try await store.read(name)
            var repairs = try Self.repairs(in: item)
            guard let index = repairs.firstIndex(where: { $0.number == number }) else { return repairs }
            let stages = Repair.Stage.allCases
            guard let stage = stages.firstIndex(of: repairs[index].stage), stage + 1 < stages.count else {
                return repairs
            }
            repairs[index].stage = stages[stage + 1]
            let outcome = try await store.write(
                SecretBytes(copying: Array(try JSONEncoder().encode(repairs))),
                to: name,
                accessibility: .whenUnlockedThisDeviceOnly,
                if: item.map { .version($0.version) } ?? .absent
            )
            if case .written = outcome { return repairs }
        }
    }
}
