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
    static func read() -> (wall: Duration, sinceBoot: Duration) {
        var wall = Duration.zero
        var before = sinceBoot()
        // A thread that is suspended between the two readings would pair times of different instants.
        for _ in 0..<3 {
            wall = Self.wall()
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
        let result = unsafe adjtimex(&state)
        return result >= 0 && result != TIME_ERROR && state.status & STA_UNSYNC == 0
        #endif
    }

    /// The system's name for this boot, or a random one.
    ///
    /// Falling back to a random name fails closed: times of another process, even of the same boot, are then
    /// not comparable. A constant would make the times of two boots look comparable.
    static func bootID() -> BootID {
        if let text = systemBootID(), !text.isEmpty { return BootID(text) }
        return BootID("unknown-\(UInt64.random(in: .min ... .max))\(UInt64.random(in: .min ... .max))")
    }

    #if canImport(Darwin)
    private static func systemBootID() -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        var size = buffer.count
        guard unsafe sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }
    #else
    private static func systemBootID() -> String? {
        let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe Glibc.read(file, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }
    #endif
}
