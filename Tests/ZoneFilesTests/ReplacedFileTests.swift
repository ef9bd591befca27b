#if os(Linux)
import AdapterKit
import CronScheduler
import Foundation
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import SystemClock

/// A change of law while a program runs. Each test has a process of its own, whose environment names the files.
@Suite(.timeLimit(.minutes(5))) struct ReplacedFileTests {
    /// A folder of zone files that this process takes for the system's.
    struct Files {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID())").path

        init() throws {
            try FileManager.default.createDirectory(
                atPath: folder + "/Made",
                withIntermediateDirectories: true
            )
            #expect(unsafe setenv("TZDIR", folder, 1) == 0)
            #expect(unsafe setenv("TZ", "Made/Up", 1) == 0)
        }

        func replace(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(filePath: folder + "/new"))
            #expect(unsafe rename(folder + "/new", folder + "/Made/Up") == 0)
        }

        func remove() throws { try FileManager.default.removeItem(atPath: folder) }
    }

    @Test(
        "A-5: the clock goes by the new file at once, and by the last good one where the new one is of no use"
    )
    func clock() async {
        await #expect(processExitsWith: .success) {
            let files = try Files()
            try files.replace(HandmadeFile(footer: "AAA-3").bytes)
            let (clock, fixed) = (SystemClock(), try SystemClock(inZone: "Made/Up"))
            func offsets() -> [Duration] { [clock.offset(at: .zero), fixed.offset(at: .zero)] }
            #expect(offsets() == [.seconds(10_800), .seconds(10_800)] && clock.zoneProblem == nil)
            try files.replace(HandmadeFile(footer: "AAA-4").bytes)
            #expect(offsets() == [.seconds(14_400), .seconds(14_400)])
            try files.replace(Array("no zone".utf8))
            #expect(offsets() == [.seconds(14_400), .seconds(14_400)])
            #expect(clock.zoneProblem?.code == .damaged && clock.zone == "Made/Up")
            // A program that starts now has nothing to go by.
            #expect(SystemClock().zone == "UTC" && SystemClock().zoneProblem?.code == .damaged)
            try files.replace(HandmadeFile(footer: "AAA-5").bytes)
            #expect(offsets() == [.seconds(18_000), .seconds(18_000)] && clock.zoneProblem == nil)
            try files.remove()
            #expect(offsets() == [.seconds(18_000), .seconds(18_000)])
            #expect(clock.zoneProblem?.code == .noZoneFiles)
            #expect(SystemClock().zone == "UTC" && SystemClock(zone: "UTC") != nil)
            #expect(throws: ZoneFileError.self) { _ = try SystemClock(inZone: "Made/Up") }
        }
    }

    @Test("A-5: a copy of a zone's file is the zone of the first name with these times, or none's")
    func copies() async {
        await #expect(processExitsWith: .success) {
            let files = try Files()
            defer { try? files.remove() }
            try files.replace(HandmadeFile(footer: "AAA-3").bytes)
            let copy = files.folder + "/copy"
            try Data(HandmadeFile(footer: "AAA-3").bytes).write(to: URL(filePath: copy))
            #expect(ZoneReader(link: copy, setting: nil).name == "Made/Up")
            try Data(HandmadeFile(footer: "AAA-7").bytes).write(to: URL(filePath: copy))
            let zones = ZoneReader(link: copy, setting: nil)
            #expect(zones.name == "localtime" && zones.current.offset(at: 0) == 25_200)
        }
    }

    @Test("A-6: a replaced zone file is a change of the zone that streams report")
    func notice() async {
        await #expect(processExitsWith: .success) {
            let files = try Files()
            defer { try? files.remove() }
            try files.replace(HandmadeFile(footer: "AAA-3").bytes)
            let clock = SystemClock()
            var notices = clock.notices().makeAsyncIterator()
            try files.replace(HandmadeFile(footer: "AAA-4").bytes)
            #expect(await notices.next() == .zoneChanged)
        }
    }

    @Test(
        "S-2: jobs of a running scheduler follow a change of law; a file of no use leaves them as they were"
    )
    func jobs() async {
        await #expect(processExitsWith: .success) {
            let files = try Files()
            defer { try? files.remove() }
            try files.replace(HandmadeFile(footer: "AAA-3").bytes)
            let executor = ManualExecutor()
            let clock = ManualClock(wall: .seconds(1_767_225_600), executor: executor)
            let scheduler = CronScheduler(clock: clock, executor: executor)
            try await scheduler.add(
                CronJob("noon", at: try CronExpression("0 12 * * *"), zone: "Made/Up") { _ in }
            )
            var problems = scheduler.problems().makeAsyncIterator()
            func hour() -> Duration? { scheduler.jobs()["noon"]?.next.map { $0 - .seconds(1_767_225_600) } }
            #expect(hour() == .seconds(9 * 3_600))
            try files.replace(HandmadeFile(footer: "AAA-4").bytes)
            await clock.setWall(clock.now.wall)
            #expect(hour() == .seconds(8 * 3_600))
            try files.replace([])
            await clock.setWall(clock.now.wall)
            #expect(hour() == .seconds(8 * 3_600))
            #expect(await problems.next()?.code == .unknownZone)
        }
    }

    @Test("S-2: an unknown zone, a damaged file and no files at all each have their own words")
    func words() async {
        await #expect(processExitsWith: .success) {
            let files = try Files()
            try files.replace([])
            func code() -> ZoneFileErrorCode? {
                do throws(ZoneFileError) {
                    _ = try ZoneRules(named: "Made/Up")
                    return nil
                } catch { return error.code }
            }
            #expect(code() == .damaged && ZoneRules("Made/Up") == nil)
            #expect(ZoneRules.hint(for: "Made/Up").contains("of no use (damaged)"))
            #expect(ZoneRules.hint(for: "made/up") == "write Made/Up")
            try files.remove()
            #expect(code() == .noZoneFiles)
            #expect(ZoneRules.hint(for: "Made/Up").contains("install tzdata"))
            #expect(ZoneRules.dataVersion == "none")
            #expect(ZoneRules("UTC")?.offset(at: 0) == 0)
            let error = #expect(throws: CronSyntaxError.self) {
                try CronExpression("CRON_TZ=Made/Up 0 0 * * *")
            }
            #expect(error?.hint?.contains("install tzdata") == true)
        }
    }
}
#endif
