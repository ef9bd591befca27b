import ConsoleNotifier
import CronScheduler
import FakeBiometrics
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import SystemClock
import Testing

/// The code of the guides about the scheduler, clocks and small adapters, as they show it.
@Suite("Guides: the scheduler and small adapters", .timeLimit(.minutes(5)))
struct SchedulerGuide {
    private let clock = ManualClock()
    private let store = InMemorySecretStore()

    @Sendable private func makeBackup(of moment: Duration) async {}
    @Sendable private func makeBackup() async {}

    @Test("S-1: an expression's times")
    func times() throws {
        let expression = try CronExpression("30 4 * * MON-FRI")
        let zone = ZoneRules("Europe/Riga")!
        let next = expression.next(after: clock.now.wall, in: zone)  // time since 1970
        let last = expression.previous(before: clock.now.wall, in: zone)
        #expect(try #require(last) < #require(next))
    }

    @Test("S-1: an error that says where and why")
    func error() {
        let error = #expect(throws: CronSyntaxError.self) {
            try CronExpression("0 24 * * *")
            // hour 24 is out of range 0–23, at character 3; midnight is 0
        }
        #expect(error.map { "\($0)" } == "hour 24 is out of range 0–23, at character 3; midnight is 0")
    }

    @Test("S-3: a job, its journal and the end")
    func job() async throws {
        do {
            let scheduler = CronScheduler(clock: SystemClock(), journal: SecretStoreRunJournal(store))
            try await scheduler.add(
                CronJob("backup", at: CronExpression("30 2 * * *"), missed: .once) { run in
                    await makeBackup(of: run.scheduled)  // it also knows how many were missed
                }
            )
            await scheduler.shutDown()  // when the app ends: waits for the runs that go on
        }
        let scheduler = CronScheduler(clock: SystemClock(), journal: SecretStoreRunJournal(store))
        try await scheduler.add(
            CronJob("backup", at: try CronExpression("30 2 * * *")) { run in await makeBackup() }
        )
        // …
        await scheduler.shutDown()
    }

    @Test("S-6: a year of jobs in one step of a clock")
    func year() async throws {
        let backup = CronJob("backup", at: try CronExpression("30 2 * * *"), jitter: .seconds(600)) { run in
            await makeBackup(of: run.scheduled)
        }
        let job = backup
        let executor = ManualExecutor()
        let clock = ManualClock(executor: executor)
        let scheduler = CronScheduler(clock: clock, executor: executor)
        try await scheduler.add(job)
        await clock.advance(by: .seconds(365 * 86_400))
        #expect(scheduler.job("backup") != nil)
    }

    @Test("back ends that are composed, and one that is put in another's place")
    func backEnds() async throws {
        let sealer = GcryptPasscodeSealer()
        var backends = Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: SystemClock())
        backends.notifier = ConsoleNotifier(clock: backends.clock)
        #expect(await backends.notifier.requestAuthorization())
        #expect(sealer.parameters.isSane)
    }

    @Test("readers, notifiers and clocks")
    func small() async throws {
        let reader = FakeBiometrics(kind: .fingerprint, clock: clock)
        reader.script(.success)
        let notifier = ConsoleNotifier(format: .jsonLines, clock: SystemClock())
        #expect(await notifier.requestAuthorization())
        do {
            let clock = SystemClock()
            let there = SystemClock(zone: "Pacific/Apia")
            do { _ = try SystemClock(inZone: "Pacific/Apia") } catch { print(error) }
            #expect(there?.zone == "Pacific/Apia" && !clock.zone.isEmpty)
        }
    }
}
