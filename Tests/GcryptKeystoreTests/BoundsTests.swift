import Gcrypt
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

    @Test("K-1, K-2: the passphrase slots of a target take as much work as one with the highest numbers")
    func slotWork() throws {
        var header = HeaderPage(storeID: [UInt8](repeating: 1, count: 16), fileSalt: [])
        func add(_ count: Int, memory: UInt32, passes: UInt32, _ target: Slot.Target = .store) {
            let cost = Argon2Parameters(memory: memory, passes: passes, lanes: 1)
            for _ in 0..<count {
                header.slots.append(Slot(kind: .passphrase, target: target, id: 1, cost: cost))
            }
        }
        add(1, memory: 1 << 20, passes: 31)
        add(1, memory: 1 << 19, passes: 2)
        add(1, memory: 1 << 20, passes: 32, .whenUnlocked)
        header.slots.append(Slot(kind: .keyFile, target: .store, id: 1, cost: nil))
        try header.demandRoom("store")
        add(1, memory: 8, passes: 1)
        let error = #expect(throws: SecretStoreError.self) { try header.demandRoom("store") }
        #expect(error?.code == .invalidSlot)
        #expect(!header.isTriable(.store) && header.isTriable(.whenUnlocked))
        // As many slots as there can be, each at a common cost.
        header.slots = []
        add(32, memory: 1 << 18, passes: 4)
        try header.demandRoom("store")
    }

    @Test("X-1: a file that cannot be mapped is read in another way")
    func unmapped() {
        #expect(SharedWords(-1, words: 2) == nil)
    }

    @Test(
        "P-2: a sealer has a thread however few are asked for; a call that was cancelled before derives nothing"
    )
    func sealer() async throws {
        let sealer = GcryptPasscodeSealer(
            parameters: Argon2Parameters(memory: 8, passes: 1, lanes: 1),
            concurrency: 0
        )
        let (key, passcode) = (SecretBytes(randomCount: 32), secret("834912"))
        let sealed = try await sealer.seal(key, under: passcode, context: "a")
        let isOpened = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await sealer.open(sealed, with: passcode, context: "a")
        }
        isOpened.cancel()
        let error = await #expect(throws: PasscodeSealerError.self) { try await isOpened.value }
        #expect(error?.code == .cancelled)
        guard case .opened(let found) = try await sealer.open(sealed, with: passcode, context: "a") else {
            Issue.record("it does not open")
            return
        }
        #expect(found.matches(key))
    }
}
