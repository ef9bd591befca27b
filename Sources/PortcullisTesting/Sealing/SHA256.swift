/// SHA-256 (FIPS 180-4) of a message in memory.
///
/// Apps that are taken over have stored such digests. This module depends on no library of cryptography.
enum SHA256 {
    private static let initial: [UInt32] = [
        0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
    ]

    private static let constants: [UInt32] = [
        0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
        0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
        0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
        0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
        0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
        0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
        0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
        0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
    ]

    /// Returns the digest of a message: 64 hexadecimal digits in lower case.
    static func hexDigest(of message: [UInt8]) -> String {
        let blocks = padded(message)
        var hash = initial
        for start in stride(from: 0, to: blocks.count, by: 64) {
            compress(Array(blocks[start..<start + 64]), into: &hash)
        }
        return hash.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        .joined()
    }

    /// Adds a one bit, zeros up to the length of whole blocks, and the number of bits of the message.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        return padded
    }

    private static func compress(_ block: [UInt8], into hash: inout [UInt32]) {
        var words: [UInt32] = []
        for start in stride(from: 0, to: 64, by: 4) {
            let word = block[start..<start + 4].reduce(UInt32(0)) { word, byte in (word << 8) | UInt32(byte) }
            words.append(word)
        }
        for index in 16..<64 {
            let (far, near) = (words[index - 15], words[index - 2])
            let first = rotate(far, 7) ^ rotate(far, 18) ^ (far >> 3)
            let second = rotate(near, 17) ^ rotate(near, 19) ^ (near >> 10)
            words.append(words[index - 16] &+ words[index - 7] &+ first &+ second)
        }
        var state = hash
        for (word, constant) in zip(words, constants) {
            let (a, b, c, e, f, g) = (state[0], state[1], state[2], state[4], state[5], state[6])
            let mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let chosen = (e & f) ^ (~e & g)
            let added = state[7] &+ mixed &+ chosen &+ constant &+ word
            let blended = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            state = [added &+ blended &+ majority, a, b, c, state[3] &+ added, e, f, g]
        }
        for index in hash.indices { hash[index] &+= state[index] }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        (word >> count) | (word << (32 - count))
    }
}
