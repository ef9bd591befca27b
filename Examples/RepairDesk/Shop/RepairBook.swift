internal import AdapterKit
internal import Foundation
package import PortcullisCore

/// Something that was brought to be repaired.
package struct Repair: Codable, Sendable, Hashable {
    /// The stage of a repair.
    package enum Stage: String, Codable, Sendable, CaseIterable {
        case received
        case inWork = "in work"
        case ready
        case handedOut = "handed out"
    }

    package var number: Int
    package var thing: String
    package var customer: String
    package var stage = Stage.received
    /// The wall time at which the repair was handed out. It is `nil` until then, and for a repair that was
    /// handed out before the book noted the time.
    package var handedOut: Duration?
}

/// The repairs, kept in the device's store.
package struct RepairBook: Sendable {
    private let stored: StoredValue<[Repair], any Error>

    package init(store: any SecretStore) throws(SecretStoreError) {
        stored = StoredValue(
            try SecretName("repairs", in: try SecretNamespace("repair-desk")),
            in: store,
            accessibility: .whenUnlockedThisDeviceOnly,
            coding: StoredValue.Coding(
                encode: { repairs in SecretBytes(copying: try JSONEncoder().encode(repairs)) },
                decode: { value in
                    let bytes = value.withBytes { bytes in bytes.indices.map { bytes[$0] } }
                    return try JSONDecoder().decode([Repair].self, from: Data(bytes))
                },
                failed: { $0 }
            )
        )
    }

    private static let first = [
        Repair(number: 1_041, thing: "Bicycle, rear wheel", customer: "carl", stage: .ready),
        Repair(number: 1_042, thing: "Radio, no sound", customer: "dora", stage: .inWork),
        Repair(number: 1_043, thing: "Toaster, burns", customer: "carl"),
        Repair(number: 1_044, thing: "Sewing machine, belt", customer: "emil"),
    ]

    package func repairs() async throws -> [Repair] { try await stored.read()?.value ?? Self.first }

    /// Brings a repair one stage further. Two desks at once lose no step, and each call returns only its own
    /// step.
    ///
    /// - Parameters:
    ///   - number: the repair's number.
    ///   - now: the wall time of the step.
    /// - Returns: all repairs, and the repair that this call has brought further; `nil` if it made no step.
    package func advance(
        _ number: Int,
        at now: Duration
    ) async throws -> (repairs: [Repair], advanced: Repair?) {
        try await stored.update {
            found throws(any Error) -> StoredValue<[Repair], any Error>.Change<([Repair], Repair?)> in
            var repairs = found ?? Self.first
            let stages = Repair.Stage.allCases
            guard let index = repairs.firstIndex(where: { $0.number == number }),
                let stage = stages.firstIndex(of: repairs[index].stage), stage + 1 < stages.count
            else { return .keep((repairs, nil)) }
            repairs[index].stage = stages[stage + 1]
            if repairs[index].stage == .handedOut { repairs[index].handedOut = now }
            return .write(repairs, (repairs, repairs[index]))
        }.answer
    }
}
