internal import PortcullisCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import CLinux
internal import Glibc
#endif

/// Reads the system's clocks.
enum SystemTime {
    /// Reads the wall clock and the boot clock at practically the same instant.
    static func read(
        wall readWall: () -> Duration = SystemTime.wall,
        sinceBoot: () -> Duration = SystemTime.sinceBoot
    ) -> (wall: Duration, sinceBoot: Duration) {
        var wall = Duration.zero
        var before = sinceBoot()
        // If the thread is suspended between the two readings, the times belong to different instants. So
        // both clocks are read again if the readings took a millisecond or longer.
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
    // Darwin's monotonic clock counts suspended time, as Linux's boot clock does.
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
        // If the clock is not synchronised, the kernel returns `TIME_ERROR`. If the call fails, it returns
        // -1. Both are outside of this range.
        return (TIME_OK..<TIME_ERROR).contains(unsafe adjtimex(&state))
        #endif
    }
}
