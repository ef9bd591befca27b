#if os(Linux)
internal import CLinux
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore

/// The descriptors that the clock's thread waits on.
final class KernelTimers: Sendable {
    private static let farAhead = Duration.seconds(Int64(1) << 33)

    private let boot: Int32
    private let wall: Int32
    /// `nil` where the system gives none: a new zone is then found when the zone is next read.
    private let zone: FileNotices?
    private let settingWatch: Int32?
    private let wake: Wake

    /// Timers that are not set.
    ///
    /// - Parameters:
    ///   - zoneFolder: the folder of the link that names the zone.
    ///   - dataFolders: the folders of the zones' files.
    init(zoneFolder: String, dataFolders: [String] = []) {
        boot = timerfd_create(CLOCK_BOOTTIME, TimerFlag.create)
        wall = timerfd_create(CLOCK_REALTIME, TimerFlag.create)
        zone = try? FileNotices()
        // The folder, because the link is replaced and not written.
        settingWatch = try? zone?.watch(zoneFolder, for: [.created, .movedIn])
        // Files that a distribution replaces, and those that are written over.
        for folder in dataFolders {
            _ = try? zone?.watch(folder, for: [.movedIn, .closedAfterWriting, .onlyFolder])
        }
        guard boot >= 0, wall >= 0, let wake = try? Wake() else {
            preconditionFailure("the system gave no timers for the clock")
        }
        self.wake = wake
    }

    deinit {
        for descriptor in [boot, wall] { close(descriptor) }
    }

    /// Ends the present ``wait()``, or the next one.
    func nudge() { wake.raise() }

    /// Sets the timers to ring at these times, or not at all.
    ///
    /// - Returns: whether the wall clock was set since the last time, which a timer that is set anew reports here
    ///   and no longer where it is read.
    func set(boot bootTime: Duration?, wall wallTime: Duration?) -> Bool {
        _ = set(boot, to: Self.setting(for: bootTime), flags: TimerFlag.absolute)
        // Armed always, far ahead if need be: only an armed timer reports that the clock was set.
        let setting = Self.setting(for: wallTime ?? Self.farAhead)
        return set(wall, to: setting, flags: TimerFlag.absolute | TimerFlag.cancelOnSet) == ECANCELED
    }

    /// What a timer is set to; without a time it is switched off.
    static func setting(for time: Duration?) -> itimerspec {
        var value = itimerspec()
        if let time {
            // A time of zero would switch the timer off. Far times are cut: the thread that wakes then looks
            // again. Other times never come early: a part of a nanosecond counts as a whole one.
            let (seconds, attoseconds) =
                (min(max(time, .nanoseconds(1)), Self.farAhead)
                + Duration(secondsComponent: 0, attosecondsComponent: 999_999_999)).components
            value.it_value.tv_sec = Int(seconds)
            value.it_value.tv_nsec = Int(attoseconds / 1_000_000_000)
        }
        return value
    }

    /// Sets one timer; the error, 0 for none.
    private func set(_ timer: Int32, to setting: itimerspec, flags: Int32) -> Int32 {
        var setting = setting
        return unsafe timerfd_settime(timer, flags, &setting, nil) == 0 ? 0 : errno
    }

    /// Waits for a timer, a change of clock or zone, or a nudge.
    func wait() -> [ClockNotice] {
        var wait = DescriptorWait()
        for descriptor in [boot, wall, wake.descriptor, zone?.descriptor] { wait.add(descriptor) }
        _ = wait.wait()
        var notices: [ClockNotice] = []
        // The timer of the time since boot is not read: setting it anew, which comes before each wait, clears it.
        if drain(wall) == ECANCELED { notices.append(.wallClockSet) }
        wake.clear()
        if concernsZones() { notices.append(.zoneChanged) }
        return notices
    }

    /// Reads the count that there is; the error of a read that failed, also for want of one.
    private func drain(_ descriptor: Int32) -> Int32? {
        var count: UInt64 = 0
        return unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) < 0 ? errno : nil
    }

    /// Whether the folders' events are about the zone's link or the zones' files.
    private func concernsZones() -> Bool {
        // What cannot be read may be about it.
        guard let notices = try? zone?.take() else { return zone != nil }
        return notices.contains { $0.watch != settingWatch || $0.name == Array("localtime".utf8) }
    }
}

/// The flags of the descriptors, which C takes as one type and declares as several.
private enum TimerFlag {
    static let create = Int32(O_NONBLOCK | O_CLOEXEC)
    static let absolute = Int32(TFD_TIMER_ABSTIME)
    static let cancelOnSet = Int32(TFD_TIMER_CANCEL_ON_SET)
}
#endif
