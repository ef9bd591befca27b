import Dispatch
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@testable import TPM

/// Chips that answer late or not at all. No chip is needed.
@Suite("A chip that does not answer (H-3, H-4)", .timeLimit(.minutes(1)))
struct HungChipTests {
    /// What a chip was told to count.
    private final class Count: Sendable {
        let raises = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
    }

    /// Carries each rise of a counter out half a second late. Other commands wait at the gate.
    private final class LateChip: ChipLine {
        private let count: Count

        init(_ count: Count) { self.count = count }

        func exchange(_ command: [UInt8]) throws(ChipFailure) -> [UInt8] {
            guard command[6..<10].elementsEqual([0, 0, 1, 0x34]) else {
                count.gate.wait()
                throw ChipFailure(kind: .lost)
            }
            Pause.hold(.milliseconds(500))
            count.raises.withLock { $0 += 1 }
            return Wire(UInt16(0x8002), UInt32(14), UInt32(0), UInt32(0)).bytes
        }
    }

    private func anchor(_ count: Count) -> TPMAnchor {
        TPMAnchor(
            .system,
            records: FileAnchor(path: "/nowhere/anchor"),
            queue: ChipQueue(patience: .milliseconds(100))
        ) { _ in LateChip(count) }
    }

    private static let store = [UInt8](repeating: 1, count: 16)

    @Test("H-4: a raise that the anchor has waited for too long does not come after the call")
    func lateRaise() throws {
        let count = Count()
        try? anchor(count).raise(0x0180_0001, store: Self.store)
        #expect(count.raises.withLock { $0 } == 1)
    }

    @Test("H-4: a raise that has not begun in time never begins")
    func droppedRaise() throws {
        let count = Count()
        let anchor = anchor(count)
        let hung = #expect(throws: SecretStoreError.self) {
            try anchor.value(of: 0x0180_0001, store: Self.store)
        }
        #expect((hung?.cause as? PasscodeSealerError)?.code == .hardwareBusy)
        let dropped = #expect(throws: SecretStoreError.self) {
            try anchor.raise(0x0180_0001, store: Self.store)
        }
        #expect((dropped?.cause as? PasscodeSealerError)?.code == .hardwareBusy)
        count.gate.signal()
        // Comes after what waits in the anchor's queue.
        try? anchor.raise(0x0180_0001, store: Self.store)
        #expect(count.raises.withLock { $0 } == 1)
    }

    @Test("H-3: while a call to the chip hangs, each further call ends in time, and no lock is left behind")
    func hung() async throws {
        let gate = DispatchSemaphore(value: 0)
        let sealer = TPMPasscodeSealer(
            TPMConfiguration(scope: [1], parameters: ServiceTests.cheap),
            queue: ChipQueue(patience: .milliseconds(100))
        ) { (_) throws(ChipFailure) in
            gate.wait()
            throw ChipFailure(kind: .lost)
        }
        defer { for _ in 0..<8 { gate.signal() } }
        let (key, passcode) = (SecretBytes(randomCount: 32), SecretBytes(copying: Array("834912".utf8)))
        for _ in 0..<2 {
            let error = await #expect(throws: PasscodeSealerError.self) {
                try await sealer.seal(key, under: passcode, context: "c")
            }
            #expect(error?.code == .hardwareBusy)
        }
        for _ in 0..<2 {
            let error = await #expect(throws: PasscodeSealerError.self) {
                try await sealer.settle([], context: "c") { () throws(PasscodeSealerError) in [] }
            }
            #expect(error?.code == .hardwareBusy)
            #expect(
                error?.message.contains("another passcode") == false,
                "the lock of the call before is free"
            )
        }
    }
}
