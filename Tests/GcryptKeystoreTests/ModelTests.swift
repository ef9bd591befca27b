import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

/// Numbers that are the same for the same seed.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite("The store against a dictionary", .timeLimit(.minutes(10)))
struct ModelTests {
    @Test("K-3, K-5: any series of calls does what a dictionary does", arguments: 1...12)
    func random(_ seed: UInt64) async throws {
        var generator = Seeded(state: seed)
        let scratch = try Scratch()
        var stores = [
            try await GcryptKeystore.open(scratch.configuration),
            try await GcryptKeystore.open(scratch.configuration),
        ]
        var model: [String: (value: String, version: SecretVersion)] = [:]
        var seen: Set<SecretVersion> = []
        for step in 0..<150 {
            let store = stores.randomElement(using: &generator)!
            let item = "item\(Int.random(in: 0..<8, using: &generator))"
            let value = String(repeating: "x", count: Int.random(in: 0..<700, using: &generator)) + "\(step)"
            let known = model[item]
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                let version = try #require(
                    try await store.put(value, item, Accessibility.allCases.randomElement(using: &generator)!)
                )
                #expect(seen.insert(version).inserted, "a version is never given twice")
                model[item] = (value, version)
            case 4:
                let outcome = try await store.write(
                    secret(value),
                    to: name(item),
                    accessibility: .whenUnlocked,
                    if: .absent
                )
                if case .written(let version) = outcome {
                    #expect(known == nil)
                    model[item] = (value, version)
                } else {
                    #expect(outcome == .conflict(current: known?.version) && known != nil)
                }
            case 5:
                let outcome = try await store.remove(name(item))
                #expect(outcome == (known == nil ? .absent : .removed))
                model[item] = nil
            case 6:
                let stale = seen.randomElement(using: &generator) ?? SecretVersion(99)
                let outcome = try await store.remove(name(item), if: .version(stale))
                if outcome == .removed {
                    #expect(known?.version == stale)
                    model[item] = nil
                } else {
                    #expect(outcome == .conflict(current: known?.version) && known?.version != stale)
                }
            case 7: try await store.compact()
            case 8: stores[0] = try await GcryptKeystore.open(scratch.configuration)
            default: break
            }
            for reader in stores {
                let found = try await reader.read(name(item))
                #expect(text(found?.value) == model[item]?.value, "seed \(seed), step \(step)")
                #expect(found?.version == model[item]?.version)
            }
        }
        let names = try await stores[1].names(in: SecretNamespace("tests")).map(\.name)
        #expect(names == model.keys.sorted())
        #expect(try await GcryptKeystore.check(scratch.configuration).items == model.count)
    }
}
