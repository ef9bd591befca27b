#if os(Linux)
import AdapterKit
import CLinux
import Foundation
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import SystemClock

@Suite("What the clock asks the kernel for", .timeLimit(.minutes(5)))
struct KernelTimersTests {
    @Test(
        "a timer is set to the nanosecond, rounded up, never off and never farther than it can be",
        arguments: [
            (nil, 0, 0), (.zero, 0, 1), (.seconds(-7), 0, 1), (.nanoseconds(1), 0, 1),
            (.milliseconds(1_500), 1, 500_000_000), (.nanoseconds(2_999_999_999), 2, 999_999_999),
            (Duration(secondsComponent: 1, attosecondsComponent: 1), 1, 1),
            (Duration(secondsComponent: 1, attosecondsComponent: 999_999_999_000_000_001), 2, 0),
            (.seconds(1 << 33), 1 << 33, 0), (.seconds(1 << 60), 1 << 33, 0),
        ] as [(Duration?, Int, Int)]
    )
    func settings(time: Duration?, seconds: Int, nanoseconds: Int) {
        // Seconds and nanoseconds between two rings, and up to the first.
        let words = unsafe withUnsafeBytes(of: KernelTimers.setting(for: time)) {
            unsafe Array($0.bindMemory(to: Int.self))
        }
        #expect(words == [0, 0, seconds, nanoseconds])
    }

    // Waits some milliseconds of real time: no manual clock can stand in for the kernel's timers.
    @Test("a wait lasts until a timer rings, and no less; a nudge ends one wait")
    func waits() async throws {
        try await WorkerThread().run { () throws in
            let timers = try KernelTimers(zoneFolder: "/")
            for isWall in [false, true] {
                let now = { isWall ? SystemTime.wall() : SystemTime.sinceBoot() }
                for _ in 0..<3 {
                    let due = now() + .milliseconds(10)
                    #expect(!timers.set(boot: isWall ? nil : due, wall: isWall ? due : nil))
                    for _ in 0..<3 { timers.nudge() }
                    #expect(timers.wait() == [])
                    #expect(timers.wait() == [])
                    #expect(now() >= due, "a wait that nothing ended")
                }
            }
        }
    }

    @Test("a service that is stopped ends its sleepers, each once, and takes no new ones")
    func stops() async throws {
        for _ in 0..<20 {
            let service = TimerThread()
            let sleepers = (0..<20).map { _ in
                Task { @concurrent in try await service.sleep(until: .sinceBoot(.seconds(1 << 60))) }
            }
            try await service.sleep(until: .sinceBoot(SystemTime.sinceBoot() + .milliseconds(1)))
            service.stop()
            // Half of them are cancelled while they end.
            for sleeper in sleepers.prefix(10) { sleeper.cancel() }
            for sleeper in sleepers {
                await #expect(throws: CancellationError.self) { try await sleeper.value }
            }
            await #expect(throws: CancellationError.self) {
                try await service.sleep(until: .sinceBoot(.seconds(1 << 60)))
            }
        }
    }

    @Test("the threads of clocks that are gone leave no timer open")
    func descriptors() async {
        // In a process of its own no other test opens files.
        await #expect(processExitsWith: .success) {
            let before = try openDescriptors()
            for _ in 0..<50 {
                let clock = SystemClock()
                let notices = clock.notices()
                try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .microseconds(100)))
                withExtendedLifetime((clock, notices)) {}
            }
            // Four for each clock; what the system opens meanwhile for itself are some.
            try await BoundedWait.until("the end of the threads") { try openDescriptors() < before + 100 }
        }
    }

    @Test("a clock without descriptors wakes its sleepers, and tells of changes once it has some")
    func exhausted() async {
        await #expect(processExitsWith: .success) {
            let clock = SystemClock()
            var limits = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            limits.rlim_cur = 64
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            var taken: [Int32] = []
            func take() -> Bool {
                let descriptor = unsafe open("/", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { return false }
                taken.append(descriptor)
                return true
            }
            while take() {}
            // Two are too few for the timers. What the attempt has made is given back.
            for _ in 0..<2 { close(taken.removeLast()) }
            let isMade = (try? KernelTimers(zoneFolder: "/")) != nil
            #expect(!isMade)
            for _ in 0..<2 {
                let isTaken = take()
                #expect(isTaken)
            }
            var notices = clock.notices().makeAsyncIterator()
            let start = clock.now
            try await clock.sleep(until: .sinceBoot(start.sinceBoot + .milliseconds(10)))
            try await clock.sleep(until: .wall(start.wall + .milliseconds(20)))
            for descriptor in taken { close(descriptor) }
            #expect(await notices.next() == .wallClockSet)
            #expect(await notices.next() == .zoneChanged)
            try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .milliseconds(1)))
        }
    }

    @Test("P-20: two readings that lie far apart are no pair, and are taken again, three times at the most")
    func pairs() {
        func read(_ boots: [Int]) -> (wall: Duration, sinceBoot: Duration, looks: Int) {
            var (looks, left) = (0, boots[...])
            let pair = SystemTime.read(
                wall: {
                    looks += 1
                    return .seconds(looks)
                },
                sinceBoot: { .microseconds(left.popFirst() ?? 0) }
            )
            return (pair.wall, pair.sinceBoot, looks)
        }
        for (boots, wall, sinceBoot) in [
            ([0, 999], 1, 999), ([0, 1_000, 1_500], 2, 1_500), ([0, 9_000, 18_000, 18_001], 3, 18_001),
            ([0, 9_000, 18_000, 27_000], 3, 27_000),
        ] {
            let pair = read(boots)
            #expect(pair.looks == wall, "\(boots)")
            #expect(pair.wall == .seconds(wall) && pair.sinceBoot == .microseconds(sinceBoot), "\(boots)")
        }
    }

    @Test("A-6: the clock is synchronised where the kernel does not count it as without a source")
    func synchronised() {
        var state = timex()
        let result = unsafe adjtimex(&state)
        // A machine may lose its time source between the two looks, and hardly twice.
        let isSynchronised = result >= 0 && state.status & STA_UNSYNC == 0
        let looks = (0..<3).map { _ in SystemClock().isSynchronised }
        #expect(looks.contains(isSynchronised))
    }
}

private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
#endif
