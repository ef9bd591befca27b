import ExampleSupport
import Foundation
import PortcullisCore
import SystemClock
import Testing

/// The program, from outside.
@Suite("step-goal", .timeLimit(.minutes(5)))
struct CommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func stepGoal(_ arguments: String...) throws -> ExampleProcess {
        try ExampleProcess("step-goal", arguments, in: folder.path)
    }

    @Test(
        "a file that is broken at its end, or ends too early, shows nothing and shuts nothing, and says where",
        arguments: [
            ("</Health>", "an end tag of another element"), ("", "the file ends before its elements do"),
        ]
    )
    func broken(end: String, reason: String) async throws {
        let start = """
            <HealthData><Record type="HKQuantityTypeIdentifierStepCount" startDate="2026-03-01 08:00:00 +0100" value="12000"/>
            """
        try folder.write(start + end, to: "export.xml")
        let process = try stepGoal("export.xml", "--date", "2026-03-01")
        #expect(await process.status == 1)
        #expect(try process.output == "Error: export.xml, byte \(start.utf8.count): \(reason)\n")
    }

    @Test(
        "what cannot be used is said in one line",
        arguments: [
            (["none.csv", "--date", "2026-03-01"], "Error: none.csv: No such file or directory\n"),
            ([".", "--date", "2026-03-01"], "Error: .: Is a directory\n"),
            (["none.csv", "--date", "2026-02-30"], "2026-02-30 is no date such as 2026-03-02"),
            (["none.csv", "--date", "2026-03-01", "--app", "chess"], "Real apps are shut by the real date"),
            (["none.csv", "--goal", "0"], "--goal takes a number above zero."),
            ([], "Name a file, or --release."),
        ]
    )
    func unusable(arguments: [String], message: String) async throws {
        let process = try ExampleProcess("step-goal", arguments, in: folder.path)
        #expect(await process.status != 0)
        #expect(try process.output.contains(message))
    }

    @Test("a source that is mistyped shows nothing and shuts nothing, and says which there are")
    func mistypedSource() async throws {
        try folder.write("date,steps,source\n2026-03-01,12000,Phone\n", to: "steps.csv")
        let process = try stepGoal("steps.csv", "--date", "2026-03-01", "--source", "Phon")
        #expect(await process.status == 1)
        #expect(
            try process.output
                == "Error: no steps of these days are by “Phon”; the sources are: Phone\n"
        )
    }

    @Test("counts that no number could be the sum of are refused at their line")
    func endless() async throws {
        try folder.write("date,steps\n2026-03-02,1e308\n2026-03-02,1e308\n", to: "steps.csv")
        let process = try stepGoal("steps.csv", "--date", "2026-03-02")
        #expect(await process.status == 1)
        #expect(
            try process.output == "Error: steps.csv, byte 11: steps are a number from 0 to 1000000\n"
        )
    }

    #if os(Linux)
    @Test("A-2: an app that there is not is named as not shut, beside the one that is")
    func mistypedApp() async throws {
        let app = try ToyApp(named: "chess", in: folder)
        try writeToday(4_000)
        let process = try stepGoal("steps.csv", "--app", "org.example.Ches.desktop", "--app", app.program)
        #expect(await process.status == 0)
        #expect(try process.output.contains("\(app.program): shut until the goal is reached."))
        #expect(
            try process.output.contains("\norg.example.Ches.desktop: not shut, there is no such app\n")
        )
        #expect(app.isStopped)
        #expect(try await stepGoal("--release").status == 0)
    }

    @Test("A-2: a real app is stopped until the steps of today are enough, and by the next run it goes on")
    func realApp() async throws {
        let app = try ToyApp(named: "chess", in: folder)
        try writeToday(4_000)
        let first = try stepGoal("steps.csv", "--app", app.program)
        #expect(await first.status == 0)
        #expect(try first.output.contains("shut until the goal is reached"))
        #expect(app.isStopped)
        try writeToday(11_000)
        let second = try stepGoal("steps.csv", "--app", app.program)
        #expect(await second.status == 0)
        #expect(try second.output.contains("open until the next day begins"))
        #expect(try second.output.contains("Apps Unlocked!"))
        #expect(!app.isStopped)
    }

    @Test("A-11: the way out lets everything go on")
    func release() async throws {
        let app = try ToyApp(named: "chess", in: folder)
        try writeToday(4_000)
        #expect(try await stepGoal("steps.csv", "--app", app.program).status == 0)
        #expect(app.isStopped)
        #expect(try await stepGoal("--release").status == 0)
        #expect(!app.isStopped)
    }

    @Test("A-11: where no lock is, the way out says so and makes none")
    func releaseElsewhere() async throws {
        let process = try stepGoal("--release")
        #expect(await process.status == 1)
        #expect(
            try process.output
                == "Error: there is no lock in step-goal.data; --home names the folder of one\n"
        )
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/step-goal.data"))
    }

    /// Writes the steps of today, and the same for tomorrow, because midnight may pass during the test.
    private func writeToday(_ steps: Int) throws {
        let clock = SystemClock()
        let today = clock.civilDate(at: clock.now.wall, dayStart: .zero)
        let tomorrow = clock.civilDate(
            at: clock.nextDayStart(after: clock.now.wall, dayStart: .zero),
            dayStart: .zero
        )
        try folder.write("date,steps\n\(today),\(steps)\n\(tomorrow),\(steps)\n", to: "steps.csv")
    }
    #endif
}
