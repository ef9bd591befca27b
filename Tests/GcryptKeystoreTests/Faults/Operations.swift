import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

/// What a store holds, as far as anybody can tell from outside.
struct Snapshot: Hashable, Sendable {
    var items: [String: String] = [:]
    var slots = 0
    var isSealed = false

    /// Reads all of a store; a locked class is unlocked on the way.
    init(_ store: GcryptKeystore) async throws {
        isSealed = store.isSealed
        if store.isLocked {
            try await store.unlock(with: .rawKey(isSealed ? Setup.sealingKey : Setup.key))
        }
        for name in try await store.names(in: SecretNamespace("tests")) {
            // An item that is listed and not there would be a silent "not found".
            items[name.name] = text(try await store.read(name)?.value) ?? "missing"
        }
        slots = try await store.slots().count { $0.purpose == .store }
    }
}

/// The store that faults are tried on.
enum Setup {
    static let path = DiskImage.folder + "/test.keystore"
    static let backup = DiskImage.folder + "/backup"
    static let rescued = DiskImage.folder + "/rescued"
    static let otherBackup = DiskImage.folder + "/other backup"
    static let key = SecretBytes(copying: [UInt8](repeating: 1, count: 32))
    static let secondKey = SecretBytes(copying: [UInt8](repeating: 2, count: 32))
    static let sealingKey = SecretBytes(copying: [UInt8](repeating: 3, count: 32))
    static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
    /// What slots of an older configuration have.
    static let weak = Argon2Parameters(memory: 32, passes: 1, lanes: 1)
    static let phrase = KeystoreCredential.passphrase(secret("phrase"))
    static let recovery = KeystoreCredential.passphrase(secret("recovery"))
    static let longValue = String(repeating: "long", count: 300)

    /// By how much the file grows beyond its frames; where they lie in it is easier to say where it does not.
    @TaskLocal static var growth: UInt64 = 0

    static func configuration(
        anchored: Bool = false,
        _ credential: KeystoreCredential = .rawKey(key),
        argon2: Argon2Parameters = cheap
    ) -> KeystoreConfiguration {
        var configuration = KeystoreConfiguration(
            path: path,
            credential: credential,
            anchorPath: anchored ? DiskImage.folder + "/anchor" : nil,
            lockTimeout: .milliseconds(50),
            argon2: argon2
        )
        configuration.growth = growth
        return configuration
    }

    static func open(
        _ disk: SimulatedDisk,
        anchored: Bool = false,
        _ credential: KeystoreCredential = .rawKey(key),
        argon2: Argon2Parameters = cheap
    ) async throws -> GcryptKeystore {
        try await GcryptKeystore.open(
            configuration(anchored: anchored, credential, argon2: argon2),
            files: disk
        )
    }

    /// A disk with a store of some items, two slots and a backup; passphrases have numbers of an older configuration.
    static func disk(anchored: Bool = false, sealed: Bool = false) async throws -> DiskImage {
        let disk = SimulatedDisk()
        let store = try await open(disk, anchored: anchored, argon2: weak)
        try await store.put("first", "a")
        try await store.put("old", "b")
        _ = try await store.addSlot(phrase)
        try await store.put(longValue, "b")
        try await store.put("hidden", "c", .whenUnlocked)
        try await store.put("gone", "d")
        _ = try await store.remove(name("d"))
        if sealed { try await store.seal(under: sealingKey, recovery: [recovery]) }
        _ = try await store.export(to: backup, passphrase: secret("bp"))
        await store.close()
        return disk.image
    }
}

extension Setup {
    /// The disk that an operation is tried on.
    static func disk(for operation: Operation, anchored: Bool) async throws -> DiskImage {
        try await $growth.withValue(operation.meetsRoom ? growth : 0) {
            try await disk(anchored: anchored, sealed: operation.isSealed)
        }
    }
}

/// Has stores grow by more than they need, in small steps.
struct Growing: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    @concurrent
    func provideScope(
        for _: Test,
        testCase _: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await Setup.$growth.withValue(4096) { try await function() }
    }
}

extension Trait where Self == Growing {
    static var growing: Growing { Growing() }
}

/// One thing that can be done with a store.
struct Operation: Sendable, CustomTestStringConvertible {
    var title: String
    /// Whether the store it is done with is sealed.
    var isSealed = false
    /// Whether it is done with an open store, and not with the file.
    var takesOpenStore = true
    /// Whether there is room behind the frames of the store, or it has to be made.
    var meetsRoom = false
    /// What the disk went through before.
    var prepare: @Sendable (inout DiskImage) -> Void = { _ in }
    var run: @Sendable (GcryptKeystore?, SimulatedDisk, _ anchored: Bool) async throws -> Void
    /// The file that it makes beside the store, and how many items that one holds.
    var product: (path: String, items: @Sendable (SimulatedDisk) async throws -> Int)?

    var testDescription: String { meetsRoom ? "\(title), with room" : title }

    /// All operations, each without room and with it.
    static var trials: [Operation] {
        all.flatMap { operation in
            var withRoom = operation
            withRoom.meetsRoom = true
            return [operation, withRoom]
        }
    }

    private static func with(
        _ title: String,
        sealed: Bool = false,
        _ run: @escaping @Sendable (GcryptKeystore) async throws -> Void
    ) -> Operation {
        Operation(title: title, isSealed: sealed) { store, _, _ in
            guard let store else { return }
            if store.isSealed { try await store.unlock(with: .rawKey(Setup.sealingKey)) }
            try await run(store)
        }
    }

    private static func making(
        _ path: String,
        _ operation: Operation,
        _ items: @escaping @Sendable (SimulatedDisk) async throws -> Int
    ) -> Operation {
        var operation = operation
        operation.product = (path, items)
        return operation
    }

    private static func after(
        _ title: String,
        _ run: @escaping @Sendable (GcryptKeystore) async throws -> Void,
        _ prepare: @escaping @Sendable (inout DiskImage) -> Void
    ) -> Operation {
        var operation = with(title, run)
        operation.prepare = prepare
        return operation
    }

    static let all: [Operation] = [
        with("read") { store in
            guard try await store.get("b") == Setup.longValue else { throw Wrong.value }
        },
        with("names") { store in
            guard try await store.names(in: SecretNamespace("tests")).count == 3 else { throw Wrong.value }
        },
        with("slots") { store in
            guard try await store.slots().count == 2 else { throw Wrong.value }
        },
        with("write") { try await $0.put("new", "new") },
        with("write over") { try await $0.put("new", "a") },
        with("remove") { _ = try await $0.remove(name("a")) },
        with("batch") { store in
            _ = try await store.commit([
                .write(secret("x"), to: name("a"), accessibility: .afterFirstUnlock, if: .none),
                .write(secret(Setup.longValue + "y"), to: name("e"), accessibility: .whenUnlocked, if: .none),
                .remove(name("b"), if: .none),
            ])
        },
        after("write behind an unfinished tail", { try await $0.put("new", "new") }) { image in
            image[Setup.path]? += [UInt8](repeating: 0, count: 100)
        },
        after("write after a failed sync", { try await $0.put("new", "new") }) { image in
            image[Setup.path + ".lock"] = [1]
        },
        after("write after one that was killed", { try await $0.put("new", "new") }) { image in
            image[Setup.path + ".lock"] = [0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]
        },
        after("write with half a header page", { try await $0.put("new", "new") }) { image in
            image[Setup.path]?.replaceSubrange(512..<1024, with: [UInt8](repeating: 7, count: 512))
        },
        after("compact over a file left behind", { try await $0.compact() }) { image in
            // Its header was not on disk yet.
            image[Setup.path + ".new"] = [UInt8](repeating: 0, count: 4096)
        },
        with("compact") { try await $0.compact() },
        with("add slot") { _ = try await $0.addSlot(.passphrase(secret("third"))) },
        with("add slot with a key file") { _ = try await $0.addSlot(.keyFile(DiskImage.folder + "/key")) },
        with("remove slot") { store in
            guard let last = try await store.slots().last else { return }
            try await store.removeSlot(last.id)
        },
        with("unlock with a weak passphrase") { try await $0.unlock(with: Setup.phrase) },
        with("unlock with a weak recovery passphrase", sealed: true) {
            try await $0.unlock(with: Setup.recovery)
        },
        with("seal") { try await $0.seal(under: Setup.sealingKey) },
        with("unseal", sealed: true) { try await $0.unseal() },
        with("read of a sealed store", sealed: true) { store in
            guard try await store.get("c") == "hidden" else { throw Wrong.value }
        },
        making(
            Setup.otherBackup,
            with("export") { store in
                _ = try await store.export(to: Setup.otherBackup, passphrase: secret("bp"))
            }
        ) { disk in
            var configuration = Setup.configuration()
            configuration.path = DiskImage.folder + "/restored"
            let restored = try await GcryptKeystore.open(configuration, files: disk)
            return try await restored.import(from: Setup.otherBackup, passphrase: secret("bp"))
        },
        with("import") { _ = try await $0.import(from: Setup.backup, passphrase: secret("bp")) },
        Operation(title: "open with a weak passphrase", takesOpenStore: false) { _, disk, anchored in
            let store = try await Setup.open(disk, anchored: anchored, Setup.phrase)
            guard try await store.get("b") == Setup.longValue else { throw Wrong.value }
        },
        Operation(title: "open", takesOpenStore: false) { _, disk, anchored in
            let store = try await Setup.open(disk, anchored: anchored)
            guard try await store.get("b") == Setup.longValue else { throw Wrong.value }
        },
        Operation(title: "check", takesOpenStore: false) { _, disk, anchored in
            let report = try await GcryptKeystore.check(
                Setup.configuration(anchored: anchored),
                files: disk
            )
            guard report.items == 3, report.damage.isEmpty else { throw Wrong.value }
        },
        making(
            Setup.rescued,
            Operation(title: "salvage", takesOpenStore: false) { _, disk, anchored in
                let report = try await GcryptKeystore.salvage(
                    Setup.configuration(anchored: anchored),
                    to: Setup.rescued,
                    files: disk
                )
                guard report.items == 3 else { throw Wrong.value }
            }
        ) { disk in
            var configuration = Setup.configuration()
            configuration.path = Setup.rescued
            return try await Snapshot(try await GcryptKeystore.open(configuration, files: disk)).items.count
        },
    ]

    enum Wrong: Error { case value }
}

/// How thorough the long tests are: the short form runs with the others, the long one with `make torture`.
enum Torture {
    static let isOn = ProcessInfo.processInfo.environment["PORTCULLIS_TORTURE"] != nil

    /// With and without an anchor; the short form has all calls in the first.
    static let anchored = isOn ? [true, false] : [true]

    /// Every n-th of many, all of them in the long form.
    static func every(_ short: Int) -> Int { isOn ? 1 : short }

    /// So many tries of what has too many cases for all of them.
    static func tries(short: Int, long: Int) -> Int { isOn ? long : short }
}
