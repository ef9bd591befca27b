#if os(Linux)
import ExampleSupport
import Glibc
import PortcullisCore
import SystemClock
import Testing

@testable import quiet_hours

/// The program over a real process.
@Suite("QuietHours over a real app", .timeLimit(.minutes(5)))
struct RealAppTests {
    private let folder: TemporaryFolder
    private let app: ToyApp

    init() throws {
        folder = try TemporaryFolder()
        app = try ToyApp(named: "chess", in: folder)
    }

    private func quietHours(_ arguments: String...) throws -> ExampleProcess {
        try ExampleProcess("quiet-hours", arguments, in: folder.path)
    }

    /// Starts the program with quiet times all day, on all days.
    private func start() throws -> ExampleProcess {
        try quietHours("--from", "00:00", "--to", "00:00", "--app", app.program)
    }

    @Test(
        "X-1: it is stopped while it is quiet, and goes on when the program ends",
        arguments: [SIGINT, SIGTERM, SIGHUP]
    )
    func ends(by signal: Int32) async throws {
        let process = try start()
        #expect(await process.waits(for: "shut"))
        #expect(app.isStopped)
        process.signal(signal)
        #expect(await process.status == 0)
        #expect(!app.isStopped)
    }

    @Test("X-1: an app that there is not is named as not shut, beside the one that is")
    func mistyped() async throws {
        let process = try quietHours(
            "--from",
            "00:00",
            "--to",
            "00:00",
            "--app",
            app.program,
            "--app",
            "org.example.Ches.desktop"
        )
        #expect(await process.waits(for: "org.example.Ches.desktop: not shut, there is no such app"))
        #expect(try process.output.contains("\(app.program): shut\n"))
        #expect(app.isStopped)
        process.signal(SIGTERM)
        #expect(await process.status == 0)
    }

    @Test("X-1: what a killed program left stopped is taken over by the next one, and goes on when that ends")
    func killed() async throws {
        let first = try start()
        #expect(await first.waits(for: "shut"))
        first.signal(SIGKILL)
        _ = await first.status
        #expect(app.isStopped)
        let second = try start()
        #expect(await second.waits(for: "shut"))
        #expect(app.isStopped)
        second.signal(SIGTERM)
        #expect(await second.status == 0)
        #expect(!app.isStopped)
    }

    @Test("X-1: what a killed program left stopped goes on at the next start outside of quiet times")
    func killedAndOver() async throws {
        let first = try start()
        #expect(await first.waits(for: "shut"))
        first.signal(SIGKILL)
        _ = await first.status
        // The day is not near today, so that a midnight during the test changes nothing.
        let clock = SystemClock()
        let day = Weekday(of: clock.civilDate(at: clock.now.wall + .seconds(3 * 86_400), dayStart: .zero))
        let second = try quietHours(
            "--from",
            "00:00",
            "--to",
            "00:00",
            "--weekdays",
            day.name,
            "--app",
            app.program
        )
        #expect(await second.waits(for: "open"))
        #expect(!app.isStopped)
        second.signal(SIGTERM)
        #expect(await second.status == 0)
    }

    @Test("X-1: the way out lets go on what a killed program left stopped")
    func release() async throws {
        let first = try start()
        #expect(await first.waits(for: "shut"))
        first.signal(SIGKILL)
        _ = await first.status
        #expect(app.isStopped)
        #expect(try await quietHours("--release").status == 0)
        #expect(!app.isStopped)
    }
}
#endif
