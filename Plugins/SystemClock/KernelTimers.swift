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
    /// The notices about zone files; `nil` if the system refuses them. Without notices a change of the zone
    /// is found when the zone is next read.
    private let zone: FileNotices?
    private let settingWatch: Int32?
    private let wake: Wake

    /// Makes timers that are not set.
    ///
    /// - Parameters:
    ///   - zoneFolder: the folder with the link that names the system's zone.
    ///   - dataFolders: the folders of the zone files.
    /// - Throws: `SystemCallError` if the process or the system has no descriptor left.
    init(zoneFolder: String, dataFolders: [String] = []) throws(SystemCallError) {
        let wake = try Wake()
        let boot = try KernelTimers.makeTimer(CLOCK_BOOTTIME)
        let wall: Int32
        do throws(SystemCallError) { wall = try KernelTimers.makeTimer(CLOCK_REALTIME) } catch {
            close(boot)
            throw error
        }
        (self.wake, self.boot, self.wall) = (wake, boot, wall)
        // The notices come last, because the clock can do without them.
        zone = try? FileNotices()
        // The system replaces the link to the zone and never changes it, so the link's folder is watched. In
        // place of the link there may be a copy of the zone's file, which can be written over.
        settingWatch = try? zone?.watch(
            zoneFolder,
            for: [.created, .movedIn, .closedAfterWriting, .removed, .movedOut]
        )
        // A distribution replaces zone files or writes over them, so both changes are watched.
        for folder in dataFolders {
            _ = try? zone?.watch(folder, for: [.movedIn, .closedAfterWriting, .onlyFolder])
        }
    }

    private static func makeTimer(_ clock: Int32) throws(SystemCallError) -> Int32 {
        let timer = Descriptors.aboveStandard(timerfd_create(clock, TimerFlag.create))
        guard timer >= 0 else { throw SystemCallError(errno: errno, call: "timerfd_create") }
        return timer
    }

    deinit {
        for descriptor in [boot, wall] { close(descriptor) }
    }

    /// Ends the present call of ``wait()``, or the next call if no thread waits now.
    func nudge() { wake.raise() }

    /// Sets the timers to fire at these times; `nil` for a timer that never fires.
    ///
    /// - Returns: whether the wall clock was set since the last call. A change that the timer reports here is
    ///   not reported again when the timer is read.
    func set(boot bootTime: Duration?, wall wallTime: Duration?) -> Bool {
        _ = set(boot, to: Self.setting(for: bootTime), flags: TimerFlag.absolute)
        // The wall clock's timer is always armed, because only an armed timer reports that the clock was
        // set. If `wallTime` is `nil`, the timer is armed for a time far ahead.
        let setting = Self.setting(for: wallTime ?? Self.farAhead)
        return set(wall, to: setting, flags: TimerFlag.absolute | TimerFlag.cancelOnSet) == ECANCELED
    }

    /// Returns the setting with which a timer fires at a time. If the time is `nil`, the setting switches the
    /// timer off.
    static func setting(for time: Duration?) -> itimerspec {
        var value = itimerspec()
        if let time {
            // The time is at least 1 ns, because zero would switch the timer off. Far times are shortened,
            // and the thread sets the timer again when it wakes. The nanoseconds are rounded up, so that no
            // timer fires early.
            let (seconds, attoseconds) =
                (min(max(time, .nanoseconds(1)), Self.farAhead)
                + Duration(secondsComponent: 0, attosecondsComponent: 999_999_999)).components
            value.it_value.tv_sec = Int(seconds)
            value.it_value.tv_nsec = Int(attoseconds / 1_000_000_000)
        }
        return value
    }

    /// Sets one timer. Returns 0, or the error number if the call failed.
    private func set(_ timer: Int32, to setting: itimerspec, flags: Int32) -> Int32 {
        var setting = setting
        return unsafe timerfd_settime(timer, flags, &setting, nil) == 0 ? 0 : errno
    }

    /// Waits for a timer, a change of clock or zone, or a nudge. Returns the changes.
    func wait() -> [ClockNotice] {
        var wait = DescriptorWait()
        for descriptor in [boot, wall, wake.descriptor, zone?.descriptor] { wait.add(descriptor) }
        _ = wait.wait()
        var notices: [ClockNotice] = []
        // The timer of the boot clock need not be read: it is cleared when it is set again before each wait.
        if drain(wall) == ECANCELED { notices.append(.wallClockSet) }
        wake.clear()
        if concernsZones() { notices.append(.zoneChanged) }
        return notices
    }

    /// Reads and resets the number of times that the timer has fired.
    ///
    /// - Returns: the error number if the read fails; `nil` if the read succeeds. The read also fails if the
    ///   timer has not fired.
    private func drain(_ descriptor: Int32) -> Int32? {
        var count: UInt64 = 0
        return unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) < 0 ? errno : nil
    }

    /// Whether the folders' events are about the link to the zone or about the zone files.
    private func concernsZones() -> Bool {
        // Notices that cannot be read may report a change of the zone. So a failed read counts as a change.
        guard let notices = try? zone?.take() else { return zone != nil }
        return notices.contains { $0.watch != settingWatch || $0.name == Array("localtime".utf8) }
    }
}

/// The flags of the timers' calls. In C they are declared with several types, but passed as one type.
private enum TimerFlag {
    static let create = Int32(O_NONBLOCK | O_CLOEXEC)
    static let absolute = Int32(TFD_TIMER_ABSTIME)
    static let cancelOnSet = Int32(TFD_TIMER_CANCEL_ON_SET)
}
#endif
