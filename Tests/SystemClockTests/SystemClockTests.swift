import Foundation
import PortcullisCore
import Testing

@testable import SystemClock

@Suite("SystemClock", .timeLimit(.minutes(5)))
struct SystemClockTests {
    @Test("P-20: wall, time since boot and boot id are the system's, and never go back")
    func now() throws {
        let clock = SystemClock()
        let first = clock.now
        #expect(abs(first.wall / .seconds(1) - Date().timeIntervalSince1970) < 5)
        #expect(first.sinceBoot > .zero)
        #expect(first.boot == SystemClock().now.boot, "one boot, whoever asks")
        #if os(Linux)
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(first.boot.rawValue == text.trimmingCharacters(in: .whitespacesAndNewlines))
        #endif
        var last = first
        for _ in 0..<1_000 {
            let next = clock.now
            #expect(next.elapsed(since: last) != nil)
            last = next
        }
    }

    @Test(
        "A-5: days of 23 and 25 hours, midnight gaps, and own day starts",
        arguments: [
            // Zone, wall time in the day, day start in minutes, hours of the day, the date.
            ("Europe/Zurich", 1_774_780_000, 0, 23.0, CivilDate(year: 2026, month: 3, day: 29)),
            ("Europe/Zurich", 1_792_900_000, 0, 25.0, CivilDate(year: 2026, month: 10, day: 25)),
            ("America/New_York", 1_773_000_000, 0, 23.0, CivilDate(year: 2026, month: 3, day: 8)),
            ("Australia/Lord_Howe", 1_775_320_000, 0, 24.5, CivilDate(year: 2026, month: 4, day: 5)),
            ("Africa/Cairo", 1_777_000_000, 0, 23.0, CivilDate(year: 2026, month: 4, day: 24)),
            ("Asia/Kolkata", 1_777_000_000, 240, 24.0, CivilDate(year: 2026, month: 4, day: 24)),
            ("Europe/Zurich", 1_774_740_000, 180, 23.0, CivilDate(year: 2026, month: 3, day: 28)),
        ]
    )
    func days(_ row: (zone: String, wall: Int, minutes: Int, hours: Double, date: CivilDate)) throws {
        let clock = try #require(SystemClock(zone: row.zone))
        let dayStart = Duration.seconds(row.minutes * 60)
        let date = clock.civilDate(at: .seconds(row.wall), dayStart: dayStart)
        #expect(date == row.date)
        let end = clock.nextDayStart(after: .seconds(row.wall), dayStart: dayStart)
        let next = clock.nextDayStart(after: end, dayStart: dayStart)
        #expect(clock.civilDate(at: end - .nanoseconds(1), dayStart: dayStart) == date)
        #expect(clock.civilDate(at: end, dayStart: dayStart) > date)
        // The day's own length, from the start that the day before ends with.
        let start = clock.nextDayStart(after: end - .seconds(30 * 3_600), dayStart: dayStart)
        #expect([start, end, next].sorted() == [start, end, next])
        let begin =
            clock.civilDate(at: start, dayStart: dayStart) == date
            ? start : clock.nextDayStart(after: start, dayStart: dayStart)
        #expect((end - begin) / .seconds(3_600) == row.hours)
        #expect(clock.start(of: date, dayStart: dayStart) == begin)
    }

    @Test("A-11: how far clocks are ahead of UTC is asked of the zone and the moment")
    func offsets() throws {
        let summer = Duration.seconds(1_756_000_000)
        let winter = Duration.seconds(1_767_225_600)
        for (name, inSummer, inWinter) in [
            ("Asia/Kathmandu", 20_700, 20_700), ("Europe/Zurich", 7_200, 3_600),
            ("America/New_York", -14_400, -18_000),
        ] {
            let clock = try #require(SystemClock(zone: name))
            #expect(clock.offset(at: summer) == .seconds(inSummer), "\(name)")
            #expect(clock.offset(at: winter) == .seconds(inWinter), "\(name)")
        }
    }

    @Test("A-6: a skipped day has no length")
    func skippedDay() throws {
        let clock = try #require(SystemClock(zone: "Pacific/Apia"))
        let jump = Duration.seconds(1_325_239_200)
        #expect(clock.nextDayStart(after: jump - .seconds(5), dayStart: .zero) == jump)
        #expect(clock.civilDate(at: jump, dayStart: .zero) == CivilDate(year: 2011, month: 12, day: 31))
    }

    @Test("the rule agrees with Foundation's calendar over two years of hours, where both must")
    func agreesWithCalendar() throws {
        for name in ["Europe/Zurich", "America/Havana", "Asia/Kathmandu", "Africa/Cairo"] {
            let clock = try #require(SystemClock(zone: name))
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = try #require(TimeZone(identifier: name))
            for hour in stride(from: 1_767_000_000, to: 1_830_000_000, by: 5 * 3_600 + 1_111) {
                let parts = calendar.dateComponents(
                    [.year, .month, .day],
                    from: Date(timeIntervalSince1970: Double(hour))
                )
                let date = clock.civilDate(at: .seconds(hour), dayStart: .zero)
                #expect([date.year, date.month, date.day] == [parts.year, parts.month, parts.day])
            }
        }
    }

    @Test(
        "A-5: a TZ that is an offset has the sign of POSIX: hours west",
        arguments: [
            ("GMT+2", -2), ("UTC-3", 3), ("EST5", -5), ("JST-9", 9), ("UTC0", 0), ("CET-1", 1), (":MST7", -7),
            ("posix/Asia/Tokyo", 9), ("/usr/share/zoneinfo/posix/Asia/Tokyo", 9),
        ]
    )
    func offsets(_ setting: String, hours: Int) {
        let zones = ZoneReader(setting: setting)
        #expect(
            zones.current.offset(at: 1_767_225_600) == hours * 3_600
        )
        #expect(zones.unknownSetting == nil)
    }

    @Test(
        "A-5: a TZ that names no zone is told",
        arguments: ["Mars/Olympus", "CET-1CEST,M3.5.0,M10.5.0", "GMT+15", "GMT+02:30", "AB5"]
    )
    func unknownSetting(_ setting: String) {
        let zones = ZoneReader(setting: setting)
        #expect(zones.unknownSetting == setting)
        #expect(SystemClock(zones: zones).unknownZoneSetting == setting)
        for known in ["Europe/Riga", ":Europe/Riga", "EST5EDT", ""] {
            #expect(ZoneReader(setting: known).unknownSetting == nil)
        }
        #expect(ZoneReader(setting: nil).unknownSetting == nil)
    }

    @Test("A-6: the zone follows TZ, or else the system's link, also while the program runs")
    func zones() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zone-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let link = folder.appending(path: "localtime").path
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: "/usr/share/zoneinfo/Asia/Tokyo"
        )
        let zones = ZoneReader(link: link, setting: nil)
        #expect(SystemClock(zones: zones).zone == "Asia/Tokyo")
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: "../usr/share/zoneinfo/America/Argentina/Salta"
        )
        #expect(zones.current.name == "America/Argentina/Salta")
        #expect(
            ZoneReader(link: link, setting: ":Europe/Zurich").current.name
                == "Europe/Zurich"
        )
        #expect(
            ZoneReader(link: link, setting: "").current.name == "America/Argentina/Salta"
        )
        #expect(SystemClock(zone: "Mars/Olympus") == nil)
        // Without a link it is UTC, as for the system's own programs.
        #expect(ZoneReader(link: folder.path + "/none", setting: nil).name == "UTC")
    }

    #if os(Linux)
    @Test("A-6: a file that appears where there was none is read, and a link may lead to a file of any name")
    func copies() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zone-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let link = folder.appending(path: "localtime").path
        let zones = ZoneReader(link: link, setting: nil)
        #expect(zones.name == "UTC" && zones.problem == nil)
        for offset in [12_345, -6_789] as [Int32] {
            try Self.zoneFile(offset).write(to: URL(fileURLWithPath: link))
            #expect(zones.current.offset(at: 1_772_438_400) == offset)
            try FileManager.default.removeItem(atPath: link)
            #expect(zones.name == "UTC")
        }
        // A link to a file, and a link to a link.
        let (copy, last) = (folder.appending(path: "copy"), folder.appending(path: "last"))
        try Self.zoneFile(12_345).write(to: copy)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "copy")
        #expect(zones.current.offset(at: 1_772_438_400) == 12_345 && zones.problem == nil)
        try FileManager.default.removeItem(at: copy)
        try Self.zoneFile(-6_789).write(to: last)
        try FileManager.default.createSymbolicLink(atPath: copy.path, withDestinationPath: "last")
        #expect(zones.current.offset(at: 1_772_438_400) == -6_789)
    }

    /// A file of a zone with one offset (RFC 8536, version 1).
    private static func zoneFile(_ offset: Int32) -> Data {
        var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
        // No changes and leap seconds, one type, four bytes of names.
        for count in [0, 0, 0, 0, 1, 4] as [UInt8] { bytes += [0, 0, 0, count] }
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: offset >> (24 - 8 * $0)) }
        return Data(bytes + [0, 0] + Array("AAA\0".utf8))
    }

    @Test("S-2: a folder of zones is the name of no zone")
    func folderOfZones() {
        #expect(ZoneReader(setting: "Europe").unknownSetting == "Europe")
        #expect(ZoneReader(setting: "Europe/Zurich").unknownSetting == nil)
    }
    #endif

    // The two tests below wait some milliseconds of real time: what they prove is that the kernel's timers are
    // heard, and no manual clock can stand in for those.

    @Test("many sleepers wake late, never early, whichever clock they sleep on")
    func sleeps() async throws {
        let clock = SystemClock()
        let start = clock.now
        try await withThrowingTaskGroup(of: Duration.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let delay = Duration.milliseconds(1 + index % 20)
                    if index % 2 == 0 {
                        try await clock.sleep(until: .sinceBoot(start.sinceBoot + delay))
                        return clock.now.sinceBoot - start.sinceBoot - delay
                    }
                    try await clock.sleep(until: .wall(start.wall + delay))
                    return clock.now.wall - start.wall - delay
                }
            }
            for try await late in group { #expect(late >= .zero) }
        }
    }

    @Test("a passed deadline returns at once; a cancelled sleep throws at once; far deadlines are taken")
    func cancels() async throws {
        let clock = SystemClock()
        try await clock.sleep(until: .sinceBoot(.zero))
        try await clock.sleep(until: .wall(.seconds(-5)))
        for deadline in [ClockDeadline.sinceBoot(.seconds(1 << 60)), .wall(.seconds(1 << 60))] {
            let sleeping = Task { try await clock.sleep(until: deadline) }
            await Task.yield()
            sleeping.cancel()
            await #expect(throws: CancellationError.self) { try await sleeping.value }
        }
        // The thread still serves others.
        try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .milliseconds(2)))
    }

    @Test("the nearest sleeper of each clock wakes at its time, whatever the others wait for")
    func nearest() async throws {
        let clock = SystemClock()
        let others = (1...40).map { number in
            let far = Duration.seconds(Int64(number) << 40)
            return Task { try await clock.sleep(until: number % 2 == 0 ? .sinceBoot(far) : .wall(far)) }
        }
        // In a group, so that the far ones come before, between and after.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .milliseconds(5)))
                    try await clock.sleep(until: .wall(clock.now.wall + .milliseconds(5)))
                }
            }
            try await group.waitForAll()
        }
        for other in others { other.cancel() }
        for other in others { await #expect(throws: CancellationError.self) { try await other.value } }
    }

    #if os(Linux)
    @Test("A-6: a zone that is changed while the program runs is reported; other files are not")
    func zoneNotice() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zone-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let service = TimerThread(zoneFolder: folder.path)
        defer { service.stop() }
        var notices = service.notices().makeAsyncIterator()
        try Data().write(to: folder.appending(path: "hosts"))
        let new = folder.appending(path: "localtime.new")
        try FileManager.default.createSymbolicLink(
            atPath: new.path,
            withDestinationPath: "/usr/share/zoneinfo/Asia/Tokyo"
        )
        // As the system does it: the new link takes the old one's place.
        try FileManager.default.moveItem(at: new, to: folder.appending(path: "localtime"))
        #expect(await notices.next() == .zoneChanged)
        service.stop()
        #expect(await notices.next() == nil, "one change, one notice")
    }
    #endif

    @Test("the streams of a clock end with it")
    func ends() async {
        var clock: SystemClock? = SystemClock()
        let notices = clock?.notices()
        clock = nil
        var iterator = notices?.makeAsyncIterator()
        #expect(await iterator?.next() == nil)
    }
}
