import ExampleSupport
import PortcullisCore
import PortcullisTesting
import ShieldLines
import Synchronization
import SystemClock
import Testing

@testable import quiet_hours

@Suite("QuietHours")
struct QuietHoursTests {
    private func time(_ hour: Int, _ minute: Int = 0) throws -> TimeOfDay {
        try #require(TimeOfDay(hour: hour, minute: minute))
    }

    @Test("lists of weekdays")
    func weekdays() {
        #expect(Weekday.list("mon-thu,sun") == [.monday, .tuesday, .wednesday, .thursday, .sunday])
        #expect(Weekday.list("SAT-mon") == [.saturday, .sunday, .monday])
        #expect(Weekday.list("fri") == [.friday])
        for text in ["", "monday", "mon-", "mon-tue-wed", "mon,,tue", "mon tue"] {
            #expect(Weekday.list(text) == nil, "\(text)")
        }
        #expect(Weekday(of: CivilDate(year: 2026, month: 3, day: 6)) == .friday)
        #expect(Weekday(of: CivilDate(year: 2024, month: 2, day: 29)) == .thursday)
        #expect(Weekday(of: CivilDate(year: 1970, month: 1, day: 1)) == .thursday)
    }

    @Test("quiet from the first instant to the last, into the next day, on the evenings that were chosen")
    func times() throws {
        let clock = ManualClock()
        let times = QuietTimes(from: try time(21), to: try time(7), weekdays: [.friday])
        // 2026-03-06, a Friday.
        let friday = Duration.seconds(1_772_755_200)
        func isQuiet(_ hour: Double) -> Bool {
            times.areQuiet(at: friday + .seconds(hour * 3_600), by: clock)
        }
        #expect(!isQuiet(3) && !isQuiet(20.999) && isQuiet(21) && isQuiet(24 + 6.999) && !isQuiet(24 + 7))
        #expect(!isQuiet(24 + 21) && !isQuiet(24 + 23))
        let always = QuietTimes(from: try time(0), to: try time(0))
        #expect([0, 12, 23.999].allSatisfy { always.areQuiet(at: friday + .seconds($0 * 3_600), by: clock) })
    }

    @Test("the day on which clocks go forward ends quiet times by the clock on the wall")
    func clockChange() throws {
        let (clock, change) = (Self.changingClock, Self.change)
        let times = QuietTimes(from: try time(22), to: try time(7))
        #expect(times.areQuiet(at: change + .seconds(4 * 3_600 - 1), by: clock))
        #expect(!times.areQuiet(at: change + .seconds(4 * 3_600), by: clock))
    }

    @Test(
        "quiet times that would begin and end in the hour that clocks leave out are none, and the next ones are"
    )
    func gap() throws {
        let (clock, change) = (Self.changingClock, Self.change)
        func isQuiet(_ times: QuietTimes, hours: Double) -> Bool {
            times.areQuiet(at: change + .seconds(hours * 3_600), by: clock)
        }
        for (from, to) in [
            (try time(2, 30), try time(3)), (try time(2), try time(3)), (try time(2), try time(2, 30)),
        ] {
            let times = QuietTimes(from: from, to: to)
            // From the end of Saturday's quiet times to the beginning of Monday's, at 02:00 or 02:30 in
            // summer time.
            for hours in [-23, -12, -0.001, 0, 0.001, 12, 22.999] {
                #expect(!isQuiet(times, hours: hours), "\(from) to \(to), \(hours) hours after the change")
            }
            // Saturday's 02:00 comes 24 hours before the change, Monday's 23 hours after it.
            let sinceTwo = Double(from.minute) / 60
            #expect(isQuiet(times, hours: sinceTwo - 24) && isQuiet(times, hours: sinceTwo + 23))
        }
        // Quiet times that pause only within the skipped hour last all day.
        for (from, to) in [(try time(2, 30), try time(2)), (try time(3), try time(2, 30))] {
            let times = QuietTimes(from: from, to: to)
            for hours in [-12, -0.001, 0, 12] { #expect(isQuiet(times, hours: hours)) }
        }
    }

    /// When 02:00 becomes 03:00 in Zurich: on Sunday, 2026-03-29.
    private static let change = Duration.seconds(1_774_746_000)

    private static var changingClock: ManualClock {
        ManualClock(
            wall: change,
            zone: ManualZone(
                "Zurich",
                offset: .seconds(3_600),
                changes: [.init(at: change, to: .seconds(7_200))]
            )
        )
    }

    @Test("a week at once: the apps are shut on the chosen evenings and open otherwise")
    func simulation() async throws {
        let times = QuietTimes(
            from: try time(21),
            to: try time(7),
            weekdays: try #require(Weekday.list("fri,sun"))
        )
        let lines = try await Simulation(from: "2026-03-06", apps: ShieldSelection(apps: [AppToken("chess")]))
            .run(times, days: 4)
        #expect(
            lines == [
                "Fri 2026-03-06 12:00  chess: open", "Fri 2026-03-06 21:00  chess: shut",
                "Sat 2026-03-07 07:00  chess: open", "Sun 2026-03-08 21:00  chess: shut",
                "Mon 2026-03-09 07:00  chess: open",
            ]
        )
    }

    @Test("a simulation that fails says so")
    func failingSimulation() async throws {
        let simulation = try Simulation(from: "2026-03-06", apps: ShieldSelection(apps: [AppToken("chess")]))
        simulation.shield.setOutage(ShieldError(code: .systemFailure, message: "not now"))
        let times = QuietTimes(from: try time(21), to: try time(7))
        let error = await #expect(throws: ShieldError.self) { try await simulation.run(times, days: 1) }
        #expect(error?.message == "not now")
    }

    @Test("what the shield cannot shut is named as not shut, and why")
    func uncovered() async throws {
        let shield = InMemoryShieldController(apps: [
            .init(AppToken("chess"), label: "Chess"),
            .init(AppToken("bash"), label: "Shell", refusal: "it is a shell"),
        ])
        let told = Mutex<[String]>([])
        let executor = ManualExecutor()
        let clock = ManualClock(wall: .seconds(1_772_779_500), executor: executor)
        let quiet = QuietHours(
            Backends(shield: shield, scheduler: ManualActivityScheduler(clock: clock), clock: clock),
            QuietTimes(from: try time(21), to: try time(7)),
            apps: ShieldSelection(apps: [AppToken("chess"), AppToken("ches"), AppToken("bash")])
        ) { news in
            told.withLock { $0 += news.lines(for: ["ches", "chess", "bash"]) }
        }
        let running = Task(executorPreference: executor) { try await quiet.run() }
        executor.runUntilIdle()
        running.cancel()
        #expect(
            told.withLock { $0 } == [
                "chess: shut", "ches: not shut, there is no such app", "bash: not shut, it is a shell",
            ]
        )
        #expect(ShieldCoverage().lines(for: [AppToken("ches")], shut: "shut").count == 1)
    }

    @Test("what it failed with first is told, and also that apps are shut all the same")
    func twoFailures() async throws {
        let clock = ManualClock(wall: .seconds(1_772_779_500))
        let shield = InMemoryShieldController(apps: [.init(AppToken("chess"), label: "Chess")])
        let quiet = QuietHours(
            Backends(shield: shield, scheduler: ManualActivityScheduler(clock: clock), clock: clock),
            QuietTimes(from: try time(21), to: try time(7)),
            apps: ShieldSelection(apps: [AppToken("chess")])
        )
        // The wait ends with its task. A stream would have ended with the first run, and would not wait in
        // the second.
        let never: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(3_600)) }
        shield.failNext(.apply, with: ShieldError(code: .stateUnreadable, message: "first"))
        let one = await #expect(throws: ShieldError.self) { try await quiet.run(until: never) }
        #expect(one?.message == "first")
        shield.failNext(.apply, with: ShieldError(code: .stateUnreadable, message: "first"))
        shield.failNext(.clear, with: ShieldError(code: .systemFailure, message: "second"))
        let both = await #expect(throws: StillShut.self) { try await quiet.run(until: never) }
        #expect((both?.first as? ShieldError)?.message == "first")
        #expect(both?.end.message == "second")
    }

    @Test("an app that cannot be let go on is tried again after a minute")
    func failure() async throws {
        let executor = ManualExecutor()
        // A quarter to seven.
        let clock = ManualClock(wall: .seconds(1_772_779_500), executor: executor)
        let shield = InMemoryShieldController(apps: [.init(AppToken("chess"), label: "Chess")])
        let scheduler = ManualActivityScheduler(clock: clock)
        let quiet = QuietHours(
            Backends(shield: shield, scheduler: scheduler, clock: clock),
            QuietTimes(from: try time(21), to: try time(7)),
            apps: ShieldSelection(apps: [AppToken("chess")])
        )
        let running = Task(executorPreference: executor) { try await quiet.run() }
        executor.runUntilIdle()
        #expect(shield.isShut(AppToken("chess")))
        shield.failNext(.clear, with: ShieldError(code: .systemFailure, message: "not now"))
        await clock.advance(by: .seconds(15 * 60))
        scheduler.deliverDue()
        executor.runUntilIdle()
        #expect(shield.isShut(AppToken("chess")))
        await clock.advance(by: .seconds(60))
        #expect(!shield.isShut(AppToken("chess")))
        running.cancel()
    }
}
