import CronScheduler
import Foundation
import GcryptKeystore
import GoalLock
import PortcullisCore
import PortcullisTesting

/// A device with a goal lock on it, as a host would wire it.
///
/// The device (store, clock, shields, notifications) outlives its processes: each opens the store anew and has a
/// scheduler of its own.
final class GoalDevice: Sendable {
    static let chat = AppToken("chat")
    static let selection = ShieldSelection(apps: [chat], categories: [CategoryToken("games")])

    let clock = ManualClock(wall: .seconds(1_767_250_800))  // 2026-01-01T07:00:00Z
    let shield = InMemoryShieldController(
        authorization: .notDetermined,
        apps: [.init(chat, label: "Chat")]
    )
    let notifier: RecordingNotifier
    private let folder = NSTemporaryDirectory() + "goal-\(UUID().uuidString)"

    init() { notifier = RecordingNotifier(clock: clock) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var storePath: String { "\(folder)/app.keystore" }

    /// An opening of the store, as another process has it.
    func openStore() async throws -> GcryptKeystore {
        try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: storePath,
                credential: .keyFile("\(folder)/app.key"),
                lockTimeout: .seconds(60)
            )
        )
    }

    /// A process that has just started.
    func start() async throws -> GoalProcess {
        try GoalProcess(on: self, store: try await openStore())
    }

    /// Puts bytes in the place of the lock's state.
    func damageState() async throws {
        let store = try await openStore()
        try await store.write(
            SecretBytes("nonsense"),
            to: GoalNames.record,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        await store.close()
    }

    /// Alters a byte among the frames of the store's file.
    func damageFile() throws {
        let url = URL(fileURLWithPath: storePath)
        var bytes = try Data(contentsOf: url)
        let headers = 8_192
        let end = bytes.lastIndex { $0 != 0 } ?? headers
        bytes[(headers + end) / 2] ^= 1
        try bytes.write(to: url)
    }

    /// Waits for what processes do by themselves; no time passes on the device.
    ///
    /// The bound is one of real time, because how often a busy machine has to yield says nothing.
    func settle(_ condition: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(240)
        while ContinuousClock.now < deadline {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(2))
        }
        return try await condition()
    }

    var isShut: Bool { shield.isShut(Self.chat) }
}

/// One process of the device.
struct GoalProcess: Sendable {
    let store: GcryptKeystore
    let scheduler: CronScheduler
    let lock: GoalLockService

    init(on device: GoalDevice, store: GcryptKeystore) throws {
        self.store = store
        self.scheduler = CronScheduler(clock: device.clock)
        self.lock = try GoalLockService(
            backends: Backends(
                secrets: store,
                shield: device.shield,
                scheduler: scheduler,
                notifier: device.notifier,
                clock: device.clock
            ),
            configuration: GoalConfiguration(goal: 10_000, title: "Steps")
        )
    }

    /// Ends the process; whoever holds it lets go of it.
    func end() async {
        await scheduler.shutDown(cancellingRuns: true)
        await store.close()
    }
}

extension CivilDate {
    /// A day of January 2026.
    static func january(_ day: Int) -> CivilDate { CivilDate(year: 2026, month: 1, day: day) }
}
