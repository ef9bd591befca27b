import Foundation
import GcryptKeystore
import PortcullisCore
import Reporting

/// Verifying a passcode, beside bare Argon2id with the same numbers.
struct Derivations {
    let bench: Bench
    private let memory: UInt32 = 19_456
    private let passes: UInt32 = 2
    /// In a round, of which the fastest counts.
    private let tries = 10

    func run() async throws -> Table {
        var rows: [Table.Row] = []
        for lanes: UInt32 in [1, 2, 4] {
            let sealer = GcryptPasscodeSealer(
                parameters: Argon2Parameters(memory: memory, passes: passes, lanes: lanes)
            )
            let passcode = SecretBytes(copying: "834912".utf8)
            let sealed = try await sealer.seal(
                SecretBytes(randomCount: 32),
                under: passcode,
                context: "bench"
            )
            let argon2 = try Argon2Library()
            let sodium = lanes == 1 ? try SodiumLibrary() : nil
            // With one lane there is one thread, and its processor time is the same on a busy machine.
            let clock = lanes == 1 ? Turns.Clock.processor : .wall
            var turns = Turns()
            for _ in 0..<bench.rounds {
                for _ in 0..<tries {
                    try await turns.time(Column.ours, by: clock) {
                        let opening = try await sealer.open(sealed, with: passcode, context: "bench")
                        guard case .opened = opening else {
                            throw MeasuringFailed("the passcode opens nothing")
                        }
                    }
                    if let argon2 {
                        try await turns.time(Column.libargon2, by: clock) {
                            try argon2.derive(memory, passes, lanes)
                        }
                    }
                    if let sodium {
                        try await turns.time(Column.libsodium, by: clock) {
                            try sodium.derive(memory, passes)
                        }
                    }
                }
                turns.endRound()
            }
            rows.append(
                Table.Row(
                    "verify, m = 19 MiB, t = 2, p = \(lanes)",
                    .time,
                    turns.figures(.fastest),
                    bars: [.peerOverOurs(Column.libargon2, 1 / 1.05)]
                )
            )
        }
        return Table(limit: nil, peers: [Column.libargon2, Column.libsodium], rows)
    }
}

/// The reference implementation.
@safe
private struct Argon2Library {
    private let hash:
        @convention(c) (
            UInt32, UInt32, UInt32, UnsafeRawPointer, Int, UnsafeRawPointer, Int, UnsafeMutableRawPointer, Int
        ) -> Int32

    init?() throws {
        guard let library = DynamicLibrary("libargon2.so.1") else { return nil }
        unsafe hash = try library.function("argon2id_hash_raw")
    }

    func derive(_ memory: UInt32, _ passes: UInt32, _ lanes: UInt32) throws {
        var key = [UInt8](repeating: 0, count: 32)
        let salt = Items.value(16)
        guard unsafe hash(passes, memory, lanes, "834912", 6, salt, salt.count, &key, key.count) == 0 else {
            throw MeasuringFailed("libargon2 failed")
        }
    }
}

/// libsodium, which always has one lane.
@safe
private struct SodiumLibrary {
    private let hash:
        @convention(c) (
            UnsafeMutableRawPointer, UInt64, UnsafeRawPointer, UInt64, UnsafeRawPointer, UInt64, Int, Int32
        ) -> Int32

    init?() throws {
        guard let library = DynamicLibrary("libsodium.so.23") else { return nil }
        unsafe hash = try library.function("crypto_pwhash")
        _ = try library.function("sodium_init", (@convention(c) () -> Int32).self)()
    }

    func derive(_ memory: UInt32, _ passes: UInt32) throws {
        var key = [UInt8](repeating: 0, count: 32)
        // crypto_pwhash_ALG_ARGON2ID13 is 2.
        guard unsafe hash(&key, 32, "834912", 6, Items.value(16), UInt64(passes), Int(memory) * 1024, 2) == 0
        else {
            throw MeasuringFailed("libsodium failed")
        }
    }
}
