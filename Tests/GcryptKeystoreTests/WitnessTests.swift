import Gcrypt
import PortcullisCore
import Testing

@testable import GcryptKeystore

@Suite("What an anchor holds", .timeLimit(.minutes(10)))
struct WitnessTests {
    private struct Silent: RollbackAnchor {
        let place = "nowhere"
        func records() throws(SecretStoreError) -> [UInt8]? { nil }
        func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {}
    }

    /// An anchor's record of a store, with this count.
    private func record(_ ring: KeyRing, count: UInt64) throws -> [UInt8] {
        var record: [UInt8] = [0x89, 0x50, 0x4B, 0x41, 0x4E, 0x0D, 0x0A, 0x1A]
        record.append(count)
        record += ring.storeID
        record.append(count * 10)
        record.append(count * 100)
        record += [UInt8](repeating: UInt8(count), count: 16) + [UInt8](repeating: 0, count: 32)
        return record + (try Digest.authenticate(record, under: ring.anchorKey))
    }

    @Test(
        "K-6: the later of two records counts; what is cut short is none; what else does not verify is damage"
    )
    func records() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let anchor = Anchor(port: Silent(), ring: store.ring)
        func read(_ bytes: [UInt8]) -> String {
            do throws(SecretStoreError) {
                guard let found = try anchor.witness(in: bytes) else { return "none" }
                #expect(found.fileGeneration == found.count * 10 && found.sequence == found.count * 100)
                #expect(found.tag == [UInt8](repeating: UInt8(found.count), count: 16))
                return "\(found.count)"
            } catch {
                return "\(error.code)"
            }
        }
        let (one, two) = (try record(store.ring, count: 1), try record(store.ring, count: 2))
        let zeros = [UInt8](repeating: 0, count: 128)
        func first(_ count: Int) -> [UInt8] { Array(one.prefix(count)) }
        var foreign = one
        foreign[20] ^= 1
        var altered = one
        altered[40] ^= 1
        var nameless = one
        nameless[3] ^= 1
        for (bytes, what) in [
            ([], "none"), ([0], "none"), (zeros, "none"), (zeros + zeros, "none"), (one, "1"),
            (two + one, "2"),
            (one + two, "2"), (zeros + one, "1"), (one + zeros, "1"), (altered + two, "2"),
            (two + altered, "2"),
            (one + foreign, "1"), (altered, "damaged"), (altered + altered, "damaged"), (nameless, "damaged"),
            (foreign, "rolledBack"), (zeros + foreign, "rolledBack"), (altered + foreign, "rolledBack"),
            ([1], "damaged"), (first(8), "damaged"), (first(127), "damaged"), (zeros + first(1), "none"),
            (zeros + first(8), "none"), (zeros + first(127), "none"), (zeros + [0x89, 0x51], "damaged"),
            (zeros + altered, "damaged"), ([1] + zeros, "damaged"), (zeros + [0, 1], "damaged"),
        ] { #expect(read(bytes) == what, "\(bytes.count) bytes, \(what)") }
        await store.close()
    }
}
