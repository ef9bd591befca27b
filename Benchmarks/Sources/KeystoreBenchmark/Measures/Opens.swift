import CGcryptLimit
import Foundation
import Reporting

/// Opening a store of 100,000 items, beside reading its file and checking its tags once.
struct Opens {
    let bench: Bench
    private let items = 100_000
    /// In a round, of which the fastest counts.
    private let passes = 5

    func run() async throws -> Table {
        let path = try bench.path("open")
        let ours = try await Ours(path, items: items)
        try await ours.fill(items)
        await ours.close()
        var turns = Turns()
        for _ in 0..<bench.rounds {
            for _ in 0..<passes {
                try await turns.time(Column.limit, by: .processor) { try Self.checkTags(path) }
                try await turns.time(Column.ours, by: .processor) { try await Ours(path, items: 0).close() }
            }
            turns.endRound()
        }
        return Table(
            limit: Column.limit,
            peers: [],
            [
                Table.Row(
                    "open with \(items) items, processor time",
                    .time,
                    turns.figures(.fastest),
                    bars: [.timesLimit(2)]
                )
            ]
        )
    }

    /// The work of AES-256-GCM-SIV over each frame of the file: the length in its head is there to read.
    ///
    /// The key is another one, so that no tag fits. That costs nothing less: a tag is known after all has been decrypted.
    private static func checkTags(_ path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var opened: gcry_cipher_hd_t?
        unsafe gcry_cipher_open(
            &opened,
            CInt(GCRY_CIPHER_AES256.rawValue),
            CInt(GCRY_CIPHER_MODE_GCM_SIV.rawValue),
            0
        )
        guard let cipher = unsafe opened else { throw MeasuringFailed("no AES-256-GCM-SIV") }
        defer { unsafe gcry_cipher_close(cipher) }
        let key = Items.value(32)
        _ = unsafe gcry_cipher_setkey(cipher, key, key.count)
        var output = [UInt8](repeating: 0, count: 1 << 16)
        var frames = 0
        try unsafe bytes.withUnsafeBytes { file in
            // Two header pages; then head (32), nonce (12), ciphertext, tag (16).
            var at = 2 * 4096
            while at + 60 <= file.count {
                let length = unsafe Int(
                    UInt32(littleEndian: file.loadUnaligned(fromByteOffset: at + 8, as: UInt32.self))
                )
                guard length >= 64, at + length <= file.count, length <= output.count else {
                    throw MeasuringFailed("the file's frames are not where they should be")
                }
                let start = unsafe file.baseAddress! + at
                unsafe gcry_cipher_ctl(cipher, CInt(GCRYCTL_RESET.rawValue), nil, 0)
                _ = unsafe gcry_cipher_setiv(cipher, start + 32, 12)
                let tag = unsafe UnsafeMutableRawPointer(mutating: start + length - 16)
                unsafe gcry_cipher_ctl(cipher, CInt(GCRYCTL_SET_DECRYPTION_TAG.rawValue), tag, 16)
                _ = unsafe gcry_cipher_decrypt(cipher, &output, length - 60, start + 44, length - 60)
                at += length
                frames += 1
            }
        }
        guard frames >= 100_000 else { throw MeasuringFailed("the file has \(frames) frames") }
    }
}
