internal import PortcullisCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import CLinux
internal import Glibc
#endif

/// The system's readings of time.
enum SystemTime {
    /// Wall clock and boot clock, read as one.
    static func read(
        wall readWall: () -> Duration = SystemTime.wall,
        sinceBoot: () -> Duration = SystemTime.sinceBoot
    ) -> (wall: Duration, sinceBoot: Duration) {
        var wall = Duration.zero
        var before = sinceBoot()
        // A thread that is suspended between the two readings would pair times of different instants.
        for _ in 0..<3 {
            wall = readWall()
            let after = sinceBoot()
            if after - before < .milliseconds(1) { return (wall, after) }
            before = after
        }
        return (wall, before)
    }

    static func wall() -> Duration { duration(CLOCK_REALTIME) }

    #if canImport(Darwin)
    // Darwin's monotonic clock goes on while the machine sleeps, as Linux's boot clock does.
    static func sinceBoot() -> Duration { duration(CLOCK_MONOTONIC) }
    #else
    static func sinceBoot() -> Duration { duration(CLOCK_BOOTTIME) }
    #endif

    private static func duration(_ clock: clockid_t) -> Duration {
        var time = timespec()
        let result = unsafe clock_gettime(clock, &time)
        precondition(result == 0, "the system has no clock \(clock)")
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    static var isSynchronised: Bool {
        var state = timex()
        #if canImport(Darwin)
        return unsafe ntp_adjtime(&state) != TIME_ERROR
        #else
        // What has no time source, and a call that failed, are outside.
        return (TIME_OK..<TIME_ERROR).contains(unsafe adjtimex(&state))
        #endif
    }
}
