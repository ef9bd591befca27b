import Gcrypt
import PortcullisCore
import Testing

/// The results of the standards' own examples.
@Suite("Known answers of libgcrypt's functions", .timeLimit(.minutes(5)))
struct VectorTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func secret(_ hex: String) -> SecretBytes { SecretBytes(copying: bytes(hex)) }

    private func bytes(_ secret: SecretBytes) -> [UInt8] {
        secret.withBytes { span in span.indices.map { span[$0] } }
    }

    @Test("K-2: SHA-256 of FIPS 180-4, of bytes, of a secret, and of a secret and a text")
    func digest() throws {
        let expected = bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try Digest.sha256(Array("abc".utf8)) == expected)
        #expect(bytes(try Digest.sha256(SecretBytes(copying: "abc".utf8))) == expected)
        #expect(try Digest.sha256(SecretBytes(copying: "a".utf8), "bc") == expected)
        #expect(try Digest.sha256(SecretBytes(copying: "abc".utf8), "") == expected)
    }

    @Test("K-2: HMAC-SHA256 of RFC 4231, as bytes and as a key from several parts")
    func authentication() throws {
        let key = SecretBytes(copying: "Jefe".utf8)
        let expected = bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(try Digest.authenticate(Array("what do ya want for nothing?".utf8), under: key) == expected)
        let parts = ["what do ya ", "want for ", "nothing?"].map { Array($0.utf8) }
        #expect(bytes(try Digest.derive(from: key, parts[0], parts[1], parts[2])) == expected)
    }

    @Test("K-2: AES-256-CMAC of SP 800-38B, again with the same key")
    func headKey() throws {
        let key = try HeadKey(secret("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        for _ in 0..<2 {
            for (message, mac) in [
                ("", "028962f61b7bf89efc6b551f4667d983"),
                ("6bc1bee22e409f96e93d7e117393172a", "28a7023f452e8f82bd4bf28d8c37c35c"),
            ] {
                let (first, second) = try unsafe bytes(message).withUnsafeBytes { try unsafe key.mac($0) }
                let found = [first, second].flatMap { word in
                    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
                }
                #expect(found == bytes(mac))
            }
        }
    }

    @Test("K-2: AES-256-GCM-SIV of RFC 8452, and what was altered does not open")
    func sealing() throws {
        let key = secret("01" + String(repeating: "00", count: 31))
        let nonce = bytes("03" + String(repeating: "00", count: 11))
        for (plain, binding, sealed) in [
            ("", "", "07f5f4169bbf55a8400cd47ea6fd400f"),
            ("0100000000000000", "", "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"),
            ("0200000000000000", "01", "1de22967237a813291213f267e3b452f02d01ae33e4ec854"),
        ] {
            let found = try Sealed.seal(secret(plain), under: key, nonce: nonce, binding: bytes(binding))
            #expect(found == bytes(sealed))
            let opened = try Sealed.open(found, under: key, nonce: nonce, binding: bytes(binding))
            #expect(opened.map(bytes) == bytes(plain))
            for place in found.indices {
                var altered = found
                altered[place] ^= 1
                #expect(try Sealed.open(altered, under: key, nonce: nonce, binding: bytes(binding)) == nil)
            }
            #expect(try Sealed.open(found, under: key, nonce: nonce, binding: [9]) == nil)
        }
    }

    @Test("K-2: associated data in two parts counts as one text, and is read whole")
    func twoParts() throws {
        let sealing = try SealingKey(SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
        let (plain, nonce) = ([UInt8]("a value".utf8), [UInt8](repeating: 1, count: 12))
        func sealed(_ first: [UInt8], _ second: [UInt8]) throws -> [UInt8] {
            var (output, tag) = ([UInt8](repeating: 0, count: plain.count), [UInt8](repeating: 0, count: 16))
            try unsafe plain.withUnsafeBytes { plain in
                try unsafe nonce.withUnsafeBytes { nonce in
                    try unsafe first.withUnsafeBytes { first in
                        try unsafe second.withUnsafeBytes { second in
                            try unsafe output.withUnsafeMutableBytes { output in
                                try unsafe tag.withUnsafeMutableBytes { tag in
                                    try unsafe sealing.seal(
                                        plain,
                                        into: output,
                                        tag: tag,
                                        nonce: nonce,
                                        binding: first,
                                        second
                                    )
                                }
                            }
                        }
                    }
                }
            }
            return output + tag
        }
        let whole = try sealed([1, 2, 3, 4], [])
        #expect(try sealed([1, 2], [3, 4]) == whole && sealed([], [1, 2, 3, 4]) == whole)
        #expect(try sealed([1, 2], []) != whole && sealed([], []) != whole)
    }

    @Test("K-2: bytes are sealed behind what is there, under the nonce at its place")
    func appending() throws {
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        let nonce = [UInt8](repeating: 5, count: 12)
        var bytes: [UInt8] = [1, 2] + nonce + [3]
        let secret = SecretBytes(copying: "value".utf8)
        try Sealed.append(secret, to: &bytes, under: SealingKey(key), nonce: 2..<14, binding: [8])
        #expect(Array(bytes.prefix(15)) == [1, 2] + nonce + [3])
        #expect(Array(bytes[15...]) == (try Sealed.seal(secret, under: key, nonce: nonce, binding: [8])))
        #expect(bytes.count == 15 + 5 + SealingKey.tagSize)
    }

    @Test("H-1: AES-128-CFB of SP 800-38A, both ways, and nothing is encrypted as nothing")
    func feedback() throws {
        let material = secret("2b7e151628aed2a6abf7158809cf4f3c000102030405060708090a0b0c0d0e0f")
        let plain = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        let encrypted = bytes("3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b")
        for count in [1, 15, 16, 20, 32] {
            let part = SecretBytes(copying: bytes(plain).prefix(count))
            let found = try FeedbackCipher.encrypt(part, with: material)
            #expect(found == Array(encrypted.prefix(count)))
            #expect(try FeedbackCipher.decrypt(found, with: material).matches(part))
        }
        #expect(try FeedbackCipher.encrypt(SecretBytes(copying: []), with: material).isEmpty)
        #expect(try FeedbackCipher.decrypt([], with: material).count == 0)
    }

    /// The base point of P-256.
    private let base = (
        x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )

    @Test("H-1: with the curve's base point both points are the same, and no coordinate begins with a zero")
    func agreement() throws {
        var own: Set<[UInt8]> = []
        for _ in 0..<300 {
            let agreement = try KeyAgreement(with: bytes(base.x), bytes(base.y))
            #expect(bytes(agreement.shared) == agreement.x)
            #expect(agreement.x.count == 32 && agreement.y.count == 32)
            #expect(agreement.x[0] != 0 && agreement.y[0] != 0)
            // What was made is a point of the curve.
            _ = try KeyAgreement(with: agreement.x, agreement.y)
            own.insert(agreement.x)
        }
        #expect(own.count == 300, "each key pair is used once")
    }

    @Test("H-1: a public key that is no point of the curve is refused")
    func noPoint() {
        var y = bytes(base.y)
        y[31] ^= 1
        for (x, y) in [(bytes(base.x), y), ([0], [0]), (bytes(base.y), bytes(base.x))] {
            let failure = #expect(throws: GcryptFailure.self) { _ = try KeyAgreement(with: x, y) }
            #expect(failure?.operation == "read a public key")
        }
    }

    @Test("K-10: an error says what failed, in libgcrypt's words, and whether it was memory or a tag")
    func failures() throws {
        let failure = #expect(throws: GcryptFailure.self) { _ = try SealingKey(SecretBytes(copying: [1])) }
        #expect(failure?.operation == "set key")
        #expect(failure?.description == "libgcrypt: set key: Invalid key length")
        #expect(failure?.isOutOfMemory == false && failure?.isWrongTag == false)
        let head = #expect(throws: GcryptFailure.self) { _ = try HeadKey(SecretBytes(copying: [1])) }
        #expect(head?.operation == "set key")
        #expect(GcryptVersion.atRunTime?.first?.isNumber == true)
    }

    @Test(
        "P-2: each lane of a derivation has a thread of its own, whose number the result does not depend on"
    )
    func lanes() throws {
        let parameters = Argon2Parameters(memory: 32, passes: 3, lanes: 4)
        let expected = bytes("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
        for _ in 0..<20 {
            let found = try Argon2.derive(
                SecretBytes(copying: [UInt8](repeating: 1, count: 32)),
                salt: [UInt8](repeating: 2, count: 16),
                parameters,
                secret: [UInt8](repeating: 3, count: 8),
                associatedData: [UInt8](repeating: 4, count: 12)
            )
            #expect(bytes(found) == expected)
        }
        let refused = #expect(throws: PasscodeSealerError.self) {
            try Argon2.derive(
                secret("00"),
                salt: bytes("0011223344556677"),
                Argon2Parameters(memory: 8, passes: 0, lanes: 1)
            )
        }
        #expect(refused?.code == .refusedParameters)
        #expect(refused?.message == "Argon2id with m=8,t=0,p=1 is not allowed")
    }
}
