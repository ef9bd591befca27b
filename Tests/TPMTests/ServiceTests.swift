import Foundation
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SoftwareTPM
import Testing

@testable import TPM

/// The passcode service over a software TPM, whose line is heard and disturbed.
@Suite(
    "A passcode service on a software TPM (H-1, H-2, H-3)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(10))
)
struct ServiceTests {
    static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
    let right = SecretBytes(copying: Array("834912".utf8))
    let wrong = SecretBytes(copying: Array("270954".utf8))
    let new = SecretBytes(copying: Array("619283".utf8))
    let passphrase = SecretBytes(copying: Array("gravel umbrella seventeen".utf8))

    /// A chip, a store, and an ear on the line.
    final class Bench: Sendable {
        let chip: SoftwareTPM
        let ear = Ear()
        let storage = InMemorySecretStore.Storage()

        init() throws { chip = try SoftwareTPM() }
        deinit { chip.remove() }

        func sealer(
            limit: Int = 5,
            recovery: TPMRecovery = .none,
            lockPath: String? = nil,
            patience: Duration = .seconds(30)
        ) -> TPMPasscodeSealer {
            let configuration = TPMConfiguration(
                address: TPMAddress(chip.tcti),
                scope: [1, 2, 3],
                lockPath: lockPath,
                limit: limit,
                recovery: recovery,
                parameters: ServiceTests.cheap
            )
            return TPMPasscodeSealer(configuration, queue: ChipQueue(patience: patience)) {
                [ear] (address) throws(ChipFailure) in
                let line = try TCTILine(address)
                ear.connected()
                return HeardLine(line, ear)
            }
        }

        func service(
            _ sealer: (any PasscodeSealer)? = nil,
            store: (any SecretStore)? = nil
        ) throws -> PasscodeService {
            try PasscodeService(
                user: .device,
                backends: Backends(
                    secrets: store ?? InMemorySecretStore(storage),
                    sealer: sealer ?? self.sealer(),
                    clock: ManualClock()
                ),
                session: InMemorySession(),
                configuration: PasscodeConfiguration(appName: "Test", throttle: .unlimited)
            )
        }

        /// What of ours is in the chip.
        func found() throws -> [String] {
            try chip.handles("nv-index") + chip.handles("persistent") + chip.handles("transient")
                + chip.handles("loaded-session")
        }
    }

    @Test("H-1: a try is at most 12 commands, and makes no primary key")
    func commands() async throws {
        let bench = try Bench()
        try await bench.service().set(right)
        for (passcode, most) in [(right, 11), (wrong, 12)] {
            bench.ear.forget()
            _ = try await bench.service().verify(passcode)
            #expect(bench.ear.codes.count <= most)
            #expect(!bench.ear.codes.contains(Chip.Command.createPrimary.rawValue))
        }
    }

    @Test("H-2, P-3: after a change one index is left, and after removal nothing")
    func leavesNothing() async throws {
        let bench = try Bench()
        let service = try bench.service()
        try await service.set(right)
        #expect(try bench.found().count == 3, "whose it is, what counts, and the storage key")
        #expect(try await service.change(from: right, to: new).isRight)
        #expect(try bench.found().count == 3)
        #expect(try await service.remove(new).isRight)
        #expect(try bench.found().isEmpty)
        try await service.set(right)
        try await service.logOut()
        #expect(try bench.found().isEmpty)
    }

    @Test("H-2: a sealer that is told no chip uses the one that the record names, for a change, too")
    func recordedChip() async throws {
        let bench = try Bench()
        defer { withExtendedLifetime(bench) {} }
        let chip = try #require(TPMAddress(bench.chip.tcti))
        let device = try #require(TPMAddress("device:/dev/tpmrm7"))
        func service(_ address: TPMAddress?) throws -> PasscodeService {
            let configuration = TPMConfiguration(address: address, scope: [1], parameters: Self.cheap)
            return try bench.service(
                TPMPasscodeSealer(configuration) { (address) throws(ChipFailure) in
                    // The software TPM is at this device file, and there is no other.
                    guard address == device else { throw ChipFailure(kind: .unreachable(errno: 0)) }
                    return try TCTILine(chip)
                }
            )
        }
        try await service(device).set(right)
        #expect(try await service(nil).verify(right).isRight)
        #expect(try await service(nil).change(from: right, to: new).isRight)
        #expect(try await service(nil).verify(new).isRight)
    }

    @Test(
        "H-2: a chip that is none of this machine's is not recorded, and its record opens where it is named",
        .enabled(if: SoftwareTPM.isOwn, "the chip is this machine's")
    )
    func unrecordedChip() async throws {
        let bench = try Bench()
        defer { withExtendedLifetime(bench) {} }
        let sealed = try await bench.sealer().seal(SecretBytes(randomCount: 32), under: right, context: "c")
        #expect(try TPMSeal(sealed.sealed).address.isEmpty)
        guard case .opened = try await bench.sealer().open(sealed, with: right, context: "c") else {
            Issue.record("the chip is named")
            return
        }
    }

    @Test("H-2: the passphrase opens the same key, the next time too, and a change keeps it")
    func recovers() async throws {
        let bench = try Bench()
        let sealer = bench.sealer(limit: 2, recovery: .passphrase(passphrase))
        let key = try #require(try await bench.service(sealer).set(right).key)
        let service = try bench.service()
        #expect(try await service.change(from: right, to: new).isRight)
        for passcode in [right, new] {
            for _ in 0..<2 { _ = try await service.verify(wrong) }
            guard case .triesExhausted = try await service.verify(new) else {
                Issue.record("the chip takes no more")
                return
            }
            #expect(try await service.hardwareCount() == HardwareCount(kind: "tpm2", failures: 2, limit: 2))
            guard case .wrongPassphrase = try await service.recover(with: right, to: passcode) else {
                Issue.record("another passphrase")
                return
            }
            guard case .recovered(let proof) = try await service.recover(with: passphrase, to: passcode)
            else {
                Issue.record("the passphrase is right")
                return
            }
            #expect(proof.key?.matches(key) == true)
            guard case .right(let proof) = try await service.verify(passcode) else {
                Issue.record("the new passcode is right")
                return
            }
            #expect(proof.key?.matches(key) == true)
        }
    }

    @Test("H-2: a record whose limit was altered is not recovered, and the limit that was set stays")
    func alteredLimit() async throws {
        let bench = try Bench()
        defer { withExtendedLifetime(bench) {} }
        let (key, phrase) = (SecretBytes(randomCount: 32), TPMRecovery.passphrase(passphrase))
        let first = bench.sealer(limit: 2, recovery: phrase)
        let sealed = try await first.seal(key, under: right, context: "c")
        var seal = try TPMSeal(sealed.sealed)
        seal.limit = .max
        var altered = sealed
        altered.sealed = seal.bytes
        // Its own limit is another.
        let sealer = bench.sealer()
        for _ in 0..<2 { _ = try await sealer.open(sealed, with: wrong, context: "c") }
        let record = altered
        let error = await #expect(throws: PasscodeSealerError.self) {
            try await sealer.recover(record, with: passphrase, context: "c")
        }
        #expect(error?.code == .malformed)
        guard case .opened(let opened) = try await sealer.recover(sealed, with: passphrase, context: "c")
        else {
            Issue.record("the passphrase is right")
            return
        }
        #expect(opened.matches(key))
        let again = try await sealer.reseal(sealed, holding: opened, under: new, context: "c")
        let count = try await sealer.count(of: again, context: "c")
        #expect(count == HardwareCount(kind: "tpm2", failures: 0, limit: 2))
    }

    @Test("H-2: without a passphrase there is nothing to recover with")
    func notRecoverable() async throws {
        let bench = try Bench()
        let service = try bench.service()
        try await service.set(right)
        await #expect(throws: PasscodeError.self) { try await service.recover(with: passphrase, to: new) }
        #expect(try await service.verify(right).isRight)
    }

    @Test("H-1: another key under the recorded Name is refused before anything depends on the passcode")
    func keyInBetween() async throws {
        let bench = try Bench()
        let service = try bench.service()
        try await service.set(right)
        // A byte of the point, where the chip tells the key that it has and where it makes the key anew; the Name, which comes
        // behind, stays as it is.
        let places = [Chip.Command.readPublic.rawValue: 70, Chip.Command.createPrimary.rawValue: 78]
        bench.ear.alter { code, answer in
            guard let place = places[code], answer.count > place else { return answer }
            var answer = answer
            answer[place] ^= 1
            return answer
        }
        bench.ear.forget()
        for passcode in [right, wrong] {
            do {
                _ = try await service.verify(passcode)
                Issue.record("it is another key")
            } catch {
                #expect((error.cause as? PasscodeSealerError)?.code == .otherHardware)
            }
        }
        #expect(!bench.ear.codes.contains(Chip.Command.startSession.rawValue))
        bench.ear.alter(nil)
        #expect(try await service.status().failures == 0)
        #expect(try await service.verify(right).isRight)
    }

    @Test(
        "H-1: an answer that was altered on the way is refused",
        arguments: [0x151, 0x157, 0x15E] as [UInt32]
    )
    func altered(_ command: UInt32) async throws {
        let bench = try Bench()
        let service = try bench.service()
        try await service.set(right)
        bench.ear.alter { code, answer in
            guard code == command else { return answer }
            var answer = answer
            answer[answer.count - 1] ^= 1
            return answer
        }
        await #expect(throws: PasscodeError.self) { try await service.verify(right) }
        bench.ear.alter(nil)
        #expect(try await service.verify(right).isRight)
    }

    @Test("H-1: a record with further bytes is malformed")
    func furtherBytes() async throws {
        let bench = try Bench()
        defer { withExtendedLifetime(bench) {} }
        let sealed = try await bench.sealer(recovery: .passphrase(passphrase))
            .seal(SecretBytes(randomCount: 32), under: right, context: "c")
        var longer = sealed.sealed
        longer.insert(0, at: longer.count - TPMSeal.wrappedSize)
        _ = try TPMSeal(sealed.sealed)
        let error = #expect(throws: PasscodeSealerError.self) { try TPMSeal(longer) }
        #expect(error?.code == .malformed)
    }

    @Test("H-1: recorded traffic holds neither the passcode, nor the authorization, nor the key")
    func traffic() async throws {
        let bench = try Bench()
        let sealer = bench.sealer(recovery: .passphrase(passphrase))
        let key = SecretBytes(randomCount: 32)
        let sealed = try await sealer.seal(key, under: right, context: "c")
        _ = try await sealer.open(sealed, with: right, context: "c")
        _ = try await sealer.recover(sealed, with: passphrase, context: "c")
        let recovery = try #require(try TPMSeal(sealed.sealed).recovery)
        let secrets = [
            right, passphrase, key,
            try SealSecrets(.passcode, right, salt: sealed.salt, Self.cheap, context: "c").authorization,
            try SealSecrets(.recovery, passphrase, salt: recovery.salt, Self.cheap, context: "c")
                .authorization,
        ].map { secret in secret.withBytes { bytes in bytes.indices.map { bytes[$0] } } }
        let traffic = bench.ear.traffic
        #expect(traffic.count > 40)
        for secret in secrets {
            #expect(!traffic.contains { $0.firstRange(of: secret) != nil })
        }
    }

    @Test("H-3: a chip that does not answer is busy, and nothing is counted")
    func busy() async throws {
        let bench = try Bench()
        try await bench.service().set(right)
        let service = try bench.service(bench.sealer(patience: .milliseconds(300)))
        bench.ear.alter { _, answer in
            Pause.hold(.seconds(2))
            return answer
        }
        do {
            _ = try await service.verify(wrong)
            Issue.record("the chip is held")
        } catch {
            #expect((error.cause as? PasscodeSealerError)?.code == .hardwareBusy)
        }
        bench.ear.alter(nil)
        #expect(try await service.status().failures == 0)
        #expect(try await bench.service().verify(right).isRight)
    }

    @Test("H-3: what a kill left is deleted by the next act, and not what another process has just made")
    func leftovers() async throws {
        let bench = try Bench()
        let lock = bench.chip.folder.appendingPathComponent("lock").path
        let service = try bench.service(bench.sealer(lockPath: lock))
        try await service.set(right)
        // A process that seals and has not recorded it.
        let other = bench.sealer(lockPath: lock)
        let context = "portcullis passcode of \(UserID.device.rawValue)"
        let key = SecretBytes(randomCount: 32)
        let sealed = try await other.seal(key, under: wrong, context: context)
        #expect(try await service.change(from: right, to: new).isRight)
        guard case .opened = try await other.open(sealed, with: wrong, context: context) else {
            Issue.record("it was just made")
            return
        }
        // It is killed: its locks go, and nothing else happens.
        try? await other.settle([sealed], context: context) { () throws(PasscodeSealerError) in
            throw PasscodeSealerError(code: .systemFailure, message: "killed")
        }
        #expect(try await service.change(from: new, to: right).isRight)
        #expect(try bench.found().count == 3)
        #expect(try await service.verify(right).isRight)
    }

    @Test("H-3: a seal that fails deletes its own index, and no other that has its handle by now")
    func discards() throws {
        let bench = try Bench()
        defer { withExtendedLifetime(bench) {} }
        let address = try #require(TPMAddress(bench.chip.tcti))
        let chip = Chip(try TCTILine(address)) { Pause.hold($0) }
        let hold = try #require(try StorageKeyHold(in: chip, keeps: true))
        defer { hold.release(to: chip) }
        let session = try chip.startSession(.hmac, saltedTo: hold.key)
        defer { chip.flush(session) }
        func index(_ policy: UInt8) -> Chip.Index {
            .pinFail(TPMPlace.range.lowerBound + 1, policy: [UInt8](repeating: policy, count: 32))
        }
        try chip.define(index(1), authorization: right, session)
        chip.discard(index(2))
        #expect(try chip.index(at: index(1).handle) == index(1))
        chip.discard(index(1))
        #expect(try chip.index(at: index(1).handle) == nil)
        chip.discard(index(1))
    }

    @Test("H-3: a key that is made after its caller gave up holds no lock, and the next act deletes it")
    func madeTooLate() async throws {
        let bench = try Bench()
        let service = try bench.service()
        try await service.set(right)
        let (hasty, key) = (bench.sealer(patience: .zero), SecretBytes(randomCount: 32))
        let context = "portcullis passcode of \(UserID.device.rawValue)"
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { _ = try? await hasty.seal(key, under: self.wrong, context: context) }
            }
        }
        // The sealer's thread carries out one job after the other, so all earlier jobs have ended after this one.
        _ = try? await hasty.seal(key, under: wrong, context: context)
        let exclusion = try hasty.lock.exclude()
        #expect(exclusion != nil)
        // The chip may still make the last key when the first change has ended.
        var (old, next) = (right, new)
        for _ in 0..<20 {
            #expect(try await service.change(from: old, to: next).isRight)
            swap(&old, &next)
            if try bench.found().count == 3 { break }
        }
        #expect(try bench.found().count == 3)
    }
}
