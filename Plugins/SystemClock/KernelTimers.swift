#if os(Linux)
internal import CLinux
internal import Glibc
internal import PortcullisCore

/// The descriptors that the clock's thread waits on.
final class KernelTimers: Sendable {
    private static let farAhead = Duration.seconds(Int64(1) << 33)

    private let boot: Int32
    private let wall: Int32
    private let zone: Int32
    private let nudges: Int32

    /// Timers that are not set.
    ///
    /// - Parameter zoneFolder: the folder of the link that names the zone.
    init(zoneFolder: String) {
        boot = timerfd_create(CLOCK_BOOTTIME, TimerFlag.create)
        wall = timerfd_create(CLOCK_REALTIME, TimerFlag.create)
        // The folder, because the link is replaced and not written; without it a new zone is found when the zone
        // is next read.
        zone = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        _ = unsafe inotify_add_watch(zone, zoneFolder, UInt32(IN_CREATE) | UInt32(IN_MOVED_TO))
        nudges = eventfd(0, TimerFlag.create)
        precondition(boot >= 0 && wall >= 0 && nudges >= 0, "the system gave no timers for the clock")
    }

    deinit {
        for descriptor in [boot, wall, zone, nudges] { close(descriptor) }
    }

    /// Ends the present ``wait()``, or the next one.
    func nudge() {
        var one: UInt64 = 1
        // It fails only when countless nudges wait to be read already.
        _ = unsafe write(nudges, &one, MemoryLayout<UInt64>.size)
    }

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
        var waits = [boot, wall, nudges, zone].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        _ = unsafe poll(&waits, nfds_t(waits.count), -1)
        var notices: [ClockNotice] = []
        // The timer of the time since boot is not read: setting it anew, which comes before each wait, clears it.
        if drain(wall) == ECANCELED { notices.append(.wallClockSet) }
        _ = drain(nudges)
        if namesLocaltime() { notices.append(.zoneChanged) }
        return notices
    }

    /// Reads the count that there is; the error of a read that failed, also for want of one.
    private func drain(_ descriptor: Int32) -> Int32? {
        var count: UInt64 = 0
        return unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) < 0 ? errno : nil
    }

    /// Whether the folder's events are about the zone's link.
    private func namesLocaltime() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(zone, &buffer, buffer.count)
        guard count > 0 else { return false }
        let name = Array("localtime\0".utf8)
        return (0..<max(0, count - name.count)).contains { buffer[$0..<$0 + name.count].elementsEqual(name) }
    }
}

/// The flags of the descriptors, which C takes as one type and declares as several.
private enum TimerFlag {
    static let create = Int32(O_NONBLOCK | O_CLOEXEC)
    static let absolute = Int32(TFD_TIMER_ABSTIME)
    static let cancelOnSet = Int32(TFD_TIMER_CANCEL_ON_SET)
}
#endif
