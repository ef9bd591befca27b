import Gcrypt
import PortcullisCore
import Testing

@Suite("What is asked of libgcrypt", .timeLimit(.minutes(10)))
struct CryptoTests {
    private let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    private let nonce = [UInt8](repeating: 1, count: 12)

    @Test("K-2: keys and nonces of other sizes are errors, and never a key that does not fit")
    func sizes() throws {
        let short = secret("short")
        #expect(throws: GcryptFailure.self) { try SealingKey(short) }
        #expect(throws: GcryptFailure.self) { try HeadKey(short) }
        #expect(throws: GcryptFailure.self) {
            try Sealed.seal(short, under: key, nonce: [1, 2, 3], binding: [])
        }
        let sealed = try Sealed.seal(short, under: key, nonce: nonce, binding: [9])
        #expect(text(try Sealed.open(sealed, under: key, nonce: nonce, binding: [9])) == "short")
        #expect(throws: GcryptFailure.self) {
            try Sealed.open(sealed, under: key, nonce: [1, 2, 3], binding: [9])
        }
        #expect(try Sealed.open(sealed, under: key, nonce: nonce, binding: []) == nil)
        #expect(try Sealed.open(Array(sealed.prefix(15)), under: key, nonce: nonce, binding: [9]) == nil)
        let nothing = try Sealed.seal(secret(""), under: key, nonce: nonce, binding: [9])
        #expect(try Sealed.open(nothing, under: key, nonce: nonce, binding: [9])?.count == 0)
    }

    @Test("K-2: where a tag does not fit, nothing of what was sealed is handed out")
    func zeros() throws {
        var sealed = try Sealed.seal(secret("a value"), under: key, nonce: nonce, binding: [])
        sealed[sealed.count - 1] ^= 1
        let sealing = try SealingKey(key)
        var output = [UInt8](repeating: 0xFF, count: 7)
        let fits = try unsafe sealed.withUnsafeBytes { sealed in
            try unsafe nonce.withUnsafeBytes { nonce in
                try unsafe output.withUnsafeMutableBytes { output in
                    try unsafe sealing.open(
                        UnsafeRawBufferPointer(rebasing: sealed[..<7]),
                        into: output,
                        tag: UnsafeRawBufferPointer(rebasing: sealed[7...]),
                        nonce: nonce,
                        binding: UnsafeRawBufferPointer(start: nil, count: 0)
                    )
                }
            }
        }
        #expect(!fits && output.allSatisfy { $0 == 0 })
    }

    @Test("P-2: Argon2id takes salts of 8 to 64 bytes and gives 4 to 1,024")
    func argonSizes() throws {
        let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
        for (salt, length) in [(8, 4), (64, 1024)] {
            let salt = [UInt8](repeating: 2, count: salt)
            #expect(try Argon2.derive(key, salt: salt, cheap, length: length).count == length)
        }
        for (salt, length) in [(7, 32), (65, 32), (16, 3), (16, 1025)] {
            #expect(throws: PasscodeSealerError.self) {
                try Argon2.derive(key, salt: [UInt8](repeating: 2, count: salt), cheap, length: length)
            }
        }
    }
}

private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: text.utf8) }

private func text(_ secret: SecretBytes?) -> String? {
    secret?.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}
