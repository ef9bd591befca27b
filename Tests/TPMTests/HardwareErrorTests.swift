import Foundation
import GcryptKeystore
import Glibc
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SoftwareTPM
import Synchronization
import Testing

@testable import TPM

/// What a chip, or the way to it, refuses: each its own error, and nothing counted.
@Suite(
    "Errors of a chip (H-3)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(5))
)
struct HardwareErrorTests {
    private let right = SecretBytes(copying: Array("834912".utf8))
    private let new = SecretBytes(copying: Array("619283".utf8))

    private func failure(_ body: () async throws(PasscodeError) -> Void) async -> PasscodeSealerError? {
        do throws(PasscodeError) {
            try await body()
            return nil
        } catch {
            return error.cause as? PasscodeSealerError
        }
    }

    /// A command, the chip's answer to it, and what that means.
    struct Refusal: Sendable, CustomStringConvertible {
        let command: Chip.Command
        let answer: UInt32
        let code: PasscodeSealerError.Code
        var description: String { "\(command) 0x\(String(answer, radix: 16))" }
    }

    @Test(
        "H-3: a chip that is full, owned, unsuitable or failed says so at set and change, and the old passcode stays",
        arguments: [
            Refusal(command: .defineSpace, answer: 0x14B, code: .hardwareFull),
            Refusal(command: .startSession, answer: 0x903, code: .hardwareFull),
            Refusal(command: .load, answer: 0x902, code: .hardwareFull),
            Refusal(command: .createPrimary, answer: 0x902, code: .hardwareFull),
            // TPM_RC_BAD_AUTH and TPM_RC_AUTH_FAIL of the first session.
            Refusal(command: .defineSpace, answer: 0x9A2, code: .hardwareOwned),
            Refusal(command: .createPrimary, answer: 0x98E, code: .hardwareOwned),
            Refusal(command: .create, answer: 0x101, code: .hardwareFailed),
        ]
    )
    func refused(_ refusal: Refusal) async throws {
        let bench = try ServiceTests.Bench()
        bench.ear.refuse(refusal.command, with: refusal.answer)
        let service = try bench.service()
        #expect(
            await failure { () async throws(PasscodeError) in try await service.set(right) }?.code
                == refusal.code
        )
        #expect(try await !service.status().isSet)
        bench.ear.refuse(refusal.command, with: nil)
        #expect(try bench.found().filter { $0.hasPrefix("0x80") }.isEmpty, "nothing of it stays loaded")
        try await service.set(right)
        #expect(try bench.found().count == 3)
        guard refusal.command != .createPrimary, refusal.command != .startSession,
            refusal.command != .load
        else { return }
        // A try makes neither index nor object, so it goes on.
        bench.ear.refuse(refusal.command, with: refusal.answer)
        #expect(
            await failure { () async throws(PasscodeError) in
                _ = try await service.change(from: right, to: new)
            }?.code == refusal.code
        )
        #expect(try await service.verify(right).isRight)
        #expect(try await service.status().failures == 0)
        bench.ear.refuse(refusal.command, with: nil)
        #expect(try await service.change(from: right, to: new).isRight)
        #expect(try bench.found().count == 3)
    }

    @Test("H-3: a first passcode that an unsuitable chip refuses leaves nothing in it")
    func unsuitableAtFirst() async throws {
        let bench = try ServiceTests.Bench()
        let service = try bench.service()
        bench.ear.refuse(.defineSpace, with: 0x2C2)
        let error = await failure { () async throws(PasscodeError) in try await service.set(right) }
        #expect(error?.message.contains("0x2c2") == true)
        bench.ear.refuse(.defineSpace, with: nil)
        #expect(try bench.found().isEmpty)
    }

    @Test("H-3: an index whose limit the chip does not take is deleted at once")
    func unwrittenLimit() async throws {
        let bench = try ServiceTests.Bench()
        let service = try bench.service()
        try await service.set(right)
        // TPM_RC_NV_LOCKED.
        bench.ear.refuse(.write, with: 0x148)
        let error = await failure { () async throws(PasscodeError) in
            _ = try await service.change(from: right, to: new)
        }
        #expect(error != nil)
        #expect(try bench.found().count == 3)
        bench.ear.refuse(.write, with: nil)
        #expect(try await service.verify(right).isRight)
        #expect(try await service.change(from: right, to: new).isRight)
        #expect(try bench.found().count == 3)
    }

    @Test("H-3: an index for which the chip makes no object is deleted at once")
    func noObject() async throws {
        let bench = try ServiceTests.Bench()
        let service = try bench.service()
        try await service.set(right)
        // The first object is the writer of the index, the second is sealed. TPM_RC_FAILURE.
        let made = Atomic(0)
        bench.ear.alter { code, answer in
            guard code == Chip.Command.create.rawValue else { return answer }
            return made.add(1, ordering: .relaxed).newValue == 2
                ? Wire(UInt16(0x8001), UInt32(10), UInt32(0x101)).bytes : answer
        }
        let error = await failure { () async throws(PasscodeError) in
            _ = try await service.change(from: right, to: new)
        }
        bench.ear.alter(nil)
        #expect(error != nil)
        #expect(try bench.found().count == 3)
    }

    @Test("H-3: a chip without PIN indexes is refused as unsuitable")
    func unsuitable() async throws {
        let bench = try ServiceTests.Bench()
        let service = try bench.service()
        try await service.set(right)
        // TPM_RC_ATTRIBUTES of the index that is to be made.
        bench.ear.refuse(.defineSpace, with: 0x2C2)
        let error = await failure { () async throws(PasscodeError) in
            _ = try await service.change(from: right, to: new)
        }
        #expect(error?.code == .hardwareUnsuitable)
        #expect(error?.message.contains("0x2c2") == true)
        #expect(try await service.verify(right).isRight)
        #expect(try bench.found().count == 3)
    }

    @Test(
        "H-3: what the system says of the device file is told apart",
        arguments: [
            (EACCES, PasscodeSealerError.Code.hardwareNotPermitted), (EPERM, .hardwareNotPermitted),
            (EBUSY, .hardwareBusy), (ENOENT, .hardwareMissing), (0, .hardwareMissing),
        ]
    )
    func deviceFile(_ number: Int32, _ code: PasscodeSealerError.Code) async throws {
        let storage = InMemorySecretStore.Storage()
        let sealer = TPMPasscodeSealer(
            TPMConfiguration(scope: [1], parameters: ServiceTests.cheap)
        ) { (_) throws(ChipFailure) in throw ChipFailure(kind: .unreachable(errno: number)) }
        let service = try PasscodeService(
            user: .device,
            backends: Backends(
                secrets: InMemorySecretStore(storage),
                sealer: sealer,
                clock: ManualClock()
            ),
            session: InMemorySession(),
            configuration: PasscodeConfiguration(appName: "Test")
        )
        let error = await failure { () async throws(PasscodeError) in try await service.set(right) }
        #expect(error?.code == code)
        if code == .hardwareNotPermitted { #expect(error?.message.contains("group tss") == true) }
        if code != .hardwareBusy { #expect(error?.message.contains("/dev/tpmrm0") == true) }
    }

    @Test("H-3: a device file that is missing, and a TCTI that is not installed, are told with the way out")
    func connecting() async throws {
        for (text, part) in [
            ("device:/dev/none-\(UUID().uuidString)", "there is no TPM"),
            ("nosuchtcti:x", "libtss2-tcti-nosuchtcti0 is missing"),
        ] {
            let sealer = TPMPasscodeSealer(
                TPMConfiguration(
                    address: TPMAddress(text),
                    scope: [1],
                    parameters: ServiceTests.cheap
                )
            )
            let error = await #expect(throws: PasscodeSealerError.self) {
                try await sealer.seal(SecretBytes(randomCount: 32), under: right, context: "c")
            }
            #expect(error?.code == .hardwareMissing)
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
    }

    @Test("H-4: a counter whose set-up was cut short before it had a value is set up by the next try")
    func cutShortSetUp() throws {
        let bench = try ServiceTests.Bench()
        let address = try #require(TPMAddress(bench.chip.tcti))
        let path = bench.chip.folder.appendingPathComponent("anchor").path
        let anchor = TPMAnchor(address, records: FileAnchor(path: path)) {
            [ear = bench.ear] (address) throws(ChipFailure) in
            let line = try TCTILine(address)
            ear.connected()
            return HeardLine(line, ear)
        }
        let store = [UInt8](repeating: 1, count: 16)
        bench.ear.refuse(.increment, with: 0x101)
        let error = #expect(throws: SecretStoreError.self) { try anchor.setUp(for: store) }
        #expect(error?.code == .unavailable)
        bench.ear.refuse(.increment, with: nil)
        let handle = try anchor.setUp(for: store)
        let first = try #require(try anchor.value(of: handle, store: store))
        // Set up already, it stays where it is.
        #expect(try anchor.setUp(for: store) == handle)
        #expect(try anchor.value(of: handle, store: store) == first)
        try anchor.raise(handle, store: store)
        #expect(try anchor.value(of: handle, store: store) == first + 1)
        #expect(try bench.chip.handles("nv-index").count == 1)
    }

    @Test("H-4: an anchor whose chip does not answer is unavailable, and goes on when the chip does")
    func anchorWaitsNotForEver() async throws {
        let bench = try ServiceTests.Bench()
        let address = try #require(TPMAddress(bench.chip.tcti))
        let path = bench.chip.folder.appendingPathComponent("anchor").path
        let anchor = TPMAnchor(
            address,
            records: FileAnchor(path: path),
            queue: ChipQueue(patience: .milliseconds(400))
        ) { [ear = bench.ear] (address) throws(ChipFailure) in
            let line = try TCTILine(address)
            ear.connected()
            return HeardLine(line, ear)
        }
        let store = Array("a store".utf8)
        var counter: UInt32?
        // A busy machine may take longer than the anchor waits.
        for _ in 0..<50 where counter == nil { counter = try? anchor.setUp(for: store) }
        let handle = try #require(counter)
        bench.ear.alter { _, answer in
            Pause.hold(.seconds(1))
            return answer
        }
        let error = #expect(throws: SecretStoreError.self) {
            try anchor.value(of: handle, store: store)
        }
        #expect(error?.code == .unavailable)
        #expect((error?.cause as? PasscodeSealerError)?.code == .hardwareBusy)
        bench.ear.alter(nil)
        var value: UInt64?
        for _ in 0..<50 where value == nil { value = try? anchor.value(of: handle, store: store) }
        #expect(value == 1)
    }
}
