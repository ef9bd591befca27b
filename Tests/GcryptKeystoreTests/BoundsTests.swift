import PortcullisCore
import Testing

@testable import GcryptKeystore

@Suite("The ends of what is accepted", .timeLimit(.minutes(10)))
struct BoundsTests {
    private func isDerived(length: Int = 32, salt: Int = 16) throws(PasscodeSealerError) -> Bool {
        let cheap = Argon2Parameters(memory: 8, passes: 1, lanes: 1)
        do throws(PasscodeSealerError) {
            let salt = [UInt8](repeating: 2, count: salt)
            return try Argon2.derive(SecretBytes(copying: "834912".utf8), salt: salt, cheap, length: length)
                .count == length
        } catch {
            guard error.code == .refusedParameters else { throw error }
            return false
        }
    }

    @Test("P-2: Argon2id is asked for 4 to 1,024 bytes, with a salt of 8 to 64")
    func derivation() throws {
        for (length, isAllowed) in [(3, false), (4, true), (1024, true), (1025, false)] {
            #expect(try isDerived(length: length) == isAllowed, "\(length) bytes")
        }
        for (salt, isAllowed) in [(7, false), (8, true), (64, true), (65, false)] {
            #expect(try isDerived(salt: salt) == isAllowed, "a salt of \(salt)")
        }
    }

    @Test("X-1: a file that cannot be mapped is read in another way")
    func unmapped() {
        #expect(SharedWords(-1, words: 2) == nil)
    }
}
