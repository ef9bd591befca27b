import GcryptKeystore
import PortcullisCore
import SoftwareTPM
import Synchronization
import Testing

@testable import TPM

/// The last passcode of one store is removed from the chip, while a task for another store is under way.
@Suite(
    "The kept storage key is removed under a task (H-1, H-4)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(5))
)
struct StorageKeyTests {
    private let bench: ServiceTests.Bench
    private let removal = Removal()
    private let right = SecretBytes(copying: Array("834912".utf8))
    private let wrong = SecretBytes(copying: Array("270954".utf8))
    private let key = SecretBytes(randomCount: 32)

    init() throws { bench = try ServiceTests.Bench() }

    private func address() throws -> TPMAddress { try #require(TPMAddress(bench.chip.tcti)) }

    private func sealer() throws -> TPMPasscodeSealer {
        let configuration = TPMConfiguration(
            address: try address(),
            scope: [1],
            parameters: ServiceTests.cheap
        )
        return TPMPasscodeSealer(configuration) { [removal] (address) throws(ChipFailure) in
            RemovingLine(try TCTILine(address), removal)
        }
    }

    private func demandNothingLoaded() throws {
        #expect(try bench.chip.handles("transient").isEmpty)
        #expect(try bench.chip.handles("loaded-session").isEmpty)
    }

    @Test(
        "H-1: a passcode is sealed, and a try is counted once",
        arguments: [Chip.Command.startSession, .create, .load]
    )
    func passcode(_ command: Chip.Command) async throws {
        let sealer = try sealer()
        _ = try await sealer.seal(key, under: right, context: "1")
        removal.plan(before: command)
        // To seal a key keeps the storage key again.
        let sealed = try await sealer.seal(key, under: right, context: "2")
        #expect(removal.isDone)
        for (passcode, failures) in [(wrong, 1), (right, 0)] {
            if command != .create { removal.plan(before: command) }
            let opening = try await sealer.open(sealed, with: passcode, context: "2")
            let isOpened = if case .opened(let found) = opening { found.matches(key) } else { false }
            #expect(isOpened == (failures == 0) && removal.isDone)
            #expect(try await sealer.count(of: sealed, context: "2")?.failures == failures)
            _ = try await sealer.seal(key, under: right, context: "3")
        }
        try demandNothingLoaded()
    }

    @Test(
        "H-4: the key of a store is protected and released",
        arguments: [Chip.Command.startSession, .create, .load]
    )
    func storeKey(_ command: Chip.Command) async throws {
        let sealer = try sealer()
        let protector = TPMKeyProtector(try address()) { [removal] (address) throws(ChipFailure) in
            RemovingLine(try TCTILine(address), removal)
        }
        _ = try await sealer.seal(key, under: right, context: "1")
        if command != .load { removal.plan(before: command) }
        let protected = try await protector.protect(key)
        #expect(removal.isDone)
        _ = try await sealer.seal(key, under: right, context: "2")
        if command != .create { removal.plan(before: command) }
        #expect(try await protector.release(protected).matches(key))
        #expect(removal.isDone)
        try demandNothingLoaded()
    }

    @Test("H-4: the counter of a store's anchor is set up once")
    func anchor() async throws {
        let sealer = try sealer()
        let anchor = TPMAnchor(try address(), records: FileAnchor(path: "/nowhere/anchor")) {
            [removal] (address) throws(ChipFailure) in RemovingLine(try TCTILine(address), removal)
        }
        _ = try await sealer.seal(key, under: right, context: "1")
        removal.plan(before: .startSession)
        let store = [UInt8](repeating: 7, count: 16)
        let counter = try anchor.setUp(for: store)
        #expect(removal.isDone)
        let value = try #require(try anchor.value(of: counter, store: store))
        #expect(try anchor.setUp(for: store) == counter)
        #expect(try anchor.value(of: counter, store: store) == value)
        try demandNothingLoaded()
    }
}

/// The command before which the storage key is removed, once.
private final class Removal: Sendable {
    private let command = Mutex<Chip.Command?>(nil)

    var isDone: Bool { command.withLock { $0 == nil } }

    func plan(before command: Chip.Command) { self.command.withLock { $0 = command } }

    /// Whether the key is to be removed before this command, which is then done.
    func take(_ code: UInt32) -> Bool {
        command.withLock { command in
            guard command?.rawValue == code else { return false }
            command = nil
            return true
        }
    }
}

/// A line on which the storage key is removed before a command.
private final class RemovingLine: ChipLine {
    private let line: any ChipLine
    private let removal: Removal

    init(_ line: any ChipLine, _ removal: Removal) { (self.line, self.removal) = (line, removal) }

    func exchange(_ command: [UInt8]) throws(ChipFailure) -> [UInt8] {
        if removal.take(command[6..<10].reduce(0) { $0 << 8 | UInt32($1) }) {
            try StorageKeyHold.remove(from: Chip(line) { _ in })
        }
        return try line.exchange(command)
    }
}
