import Foundation
import Gcrypt
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("Argon2id and the passcode sealer", .timeLimit(.minutes(10)))
struct SealerTests {
    private static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)

    @Test("P-2: RFC 9106's Argon2id test vector")
    func testVector() throws {
        let tag = try Argon2.derive(
            SecretBytes(copying: [UInt8](repeating: 1, count: 32)),
            salt: [UInt8](repeating: 2, count: 16),
            Argon2Parameters(memory: 32, passes: 3, lanes: 4),
            secret: [UInt8](repeating: 3, count: 8),
            associatedData: [UInt8](repeating: 4, count: 12)
        )
        let hex = tag.withBytes { span in
            (0..<span.count).map { String(format: "%02x", span[$0]) }.joined()
        }
        #expect(hex == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
    }

    @Test("P-2: several lanes are computed by several threads, none of them the caller's")
    func lanes() throws {
        let threads = Mutex<Set<UInt>>([])
        _ = try Argon2.derive(
            secret("834912"),
            salt: [UInt8](repeating: 2, count: 16),
            Argon2Parameters(memory: 1024, passes: 1, lanes: 4)
        ) { threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
        let seen = threads.withLock { $0 }
        #expect(seen.count == 4)
        #expect(!seen.contains(UInt(pthread_self())))
    }

    @Test(
        "P-2: parameters that are not sane are refused before any derivation",
        arguments: [
            Argon2Parameters(memory: 19456, passes: 0, lanes: 1),
            Argon2Parameters(memory: .max, passes: 1, lanes: 1),
            Argon2Parameters(memory: 8, passes: 1, lanes: 2),
            Argon2Parameters(memory: 64, passes: 1, lanes: 0),
            Argon2Parameters(memory: 64, passes: 33, lanes: 1),
        ]
    )
    func refusesParameters(_ parameters: Argon2Parameters) async throws {
        let sealer = GcryptPasscodeSealer(parameters: Self.cheap)
        var sealed = try await sealer.seal(SecretBytes(randomCount: 32), under: secret("1"), context: "a")
        sealed.parameters = parameters
        do {
            _ = try await sealer.open(sealed, with: secret("1"), context: "a")
            Issue.record("opened")
        } catch {
            #expect(error.code == .refusedParameters)
        }
    }

    @Test("P-2: only the passcode and the context give the key back, and every recorded part is bound")
    func opens() async throws {
        let sealer = GcryptPasscodeSealer(parameters: Self.cheap)
        let key = SecretBytes(randomCount: 32)
        let sealed = try await sealer.seal(key, under: secret("834912"), context: "user")
        func opens(_ record: SealedKey, _ passcode: String = "834912", _ context: String = "user")
            async throws -> Bool
        {
            guard
                case .opened(let found) = try await sealer.open(
                    record,
                    with: secret(passcode),
                    context: context
                )
            else { return false }
            return found.matches(key)
        }
        #expect(try await opens(sealed))
        #expect(try await !opens(sealed, "834913"))
        #expect(try await !opens(sealed, "834912", "other"))
        for index in sealed.sealed.indices {
            var altered = sealed
            altered.sealed[index] ^= 1
            #expect(try await !opens(altered), "byte \(index)")
        }
        var cheaper = sealed
        cheaper.parameters.memory = 32
        #expect(try await !opens(cheaper))
        var renamed = sealed
        renamed.algorithm = "argon2i"
        await #expect(throws: PasscodeSealerError.self) { try await opens(renamed) }
        #expect(sealed.salt.count == 16)
        let again = try await sealer.seal(key, under: secret("834912"), context: "user")
        #expect(again.salt != sealed.salt && again.sealed != sealed.sealed)
    }

    @Test("P-2: a record that another program made, after the format's description, opens")
    func madeElsewhere() async throws {
        let record = try JSONDecoder().decode(SealedKey.self, from: Data(Self.made.utf8))
        let sealer = GcryptPasscodeSealer(parameters: Self.cheap)
        guard case .opened(let key) = try await sealer.open(record, with: secret("834912"), context: "user")
        else {
            Issue.record("it does not open")
            return
        }
        #expect(key.matches(SecretBytes(copying: (0..<32).map { UInt8($0) })))
    }

    /// Made from the description of the format alone, by a program that shares nothing with this one but libgcrypt.
    private static let made = """
        {"algorithm":"argon2id+aes256-gcm-siv","format":1,"parameters":{"lanes":1,"memory":64,"passes":2},
        "salt":[
        100,101,102,103,104,105,106,107,108,109,110,111,112,113,114,115],
        "sealed":[
        200,201,202,203,204,205,206,207,208,209,210,211,229,33,117,223,185,243,61,121,93,58,188,161,
        214,54,70,168,129,43,187,89,163,17,148,142,109,16,91,193,14,110,180,164,245,193,209,24,244,
        70,176,89,109,231,3,24,2,154,22,246]}
        """

    @Test("P-2: what has another size than a record's parts is refused")
    func sizes() async throws {
        let sealer = GcryptPasscodeSealer(parameters: Self.cheap)
        let key = SecretBytes(randomCount: 32)
        let longest = secret(String(repeating: "a", count: 1024))
        let sealed = try await sealer.seal(key, under: longest, context: "a")
        guard case .opened = try await sealer.open(sealed, with: longest, context: "a") else {
            Issue.record("not opened")
            return
        }
        func isMalformed(_ body: () async throws(PasscodeSealerError) -> Void) async -> Bool {
            do throws(PasscodeSealerError) {
                try await body()
                return false
            } catch {
                return error.code == .malformed
            }
        }
        let longer = secret(String(repeating: "a", count: 1025))
        #expect(
            await isMalformed { () async throws(PasscodeSealerError) in
                _ = try await sealer.seal(key, under: longer, context: "a")
            }
        )
        #expect(
            await isMalformed { () async throws(PasscodeSealerError) in
                _ = try await sealer.seal(SecretBytes(randomCount: 31), under: longest, context: "a")
            }
        )
        let changes: [(inout SealedKey) -> Void] = [
            { $0.salt.removeLast() }, { $0.sealed.removeLast() }, { $0.sealed.append(0) },
            { $0.sealed = [] },
        ]
        for change in changes {
            var record = sealed
            change(&record)
            #expect(
                await isMalformed { () async throws(PasscodeSealerError) in
                    _ = try await sealer.open(record, with: longest, context: "a")
                }
            )
        }
        #expect(
            await isMalformed { () async throws(PasscodeSealerError) in
                _ = try await sealer.open(sealed, with: longer, context: "a")
            }
        )
    }

    @Test("P-2: the default is OWASP's minimum")
    func defaults() { #expect(GcryptPasscodeSealer().parameters == .owaspMinimum) }

    @Test("P-2: hex SHA-256(passcode + salt) of an older app is recognised")
    func legacy() async throws {
        // printf '%s' '834912c2FsdA==' | sha256sum
        let record = LegacyPasscodeHash(
            hexDigest: "4d3b3037cd745855768891baa761d2359961f464c70c3f77895bd8ac16b37050",
            salt: "c2FsdA=="
        )
        let sealer = GcryptPasscodeSealer(parameters: Self.cheap)
        #expect(try await sealer.matches(secret("834912"), record))
        #expect(try await !sealer.matches(secret("834913"), record))
        let broken = LegacyPasscodeHash(hexDigest: "abc", salt: "")
        await #expect(throws: PasscodeSealerError.self) { try await sealer.matches(secret("834912"), broken) }
    }
}
