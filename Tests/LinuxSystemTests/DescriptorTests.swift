#if os(Linux)
import CLinux
import Foundation
import LinuxSystem
import PortcullisTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Descriptors that are made and given back, and terminals.
@Suite("Descriptors", .timeLimit(.minutes(5)))
struct DescriptorTests {
    @Test("a pipe blocks on neither end, and no program that is started has one of them")
    func bothEnds() throws {
        let ends = try #require(Descriptors.makePipe())
        defer {
            close(ends.read)
            close(ends.write)
        }
        for end in [ends.read, ends.write] {
            #expect(fcntl(end, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(Descriptors.write([1], to: ends.write))
        #expect(DescriptorWait.isReady(ends.read, atMost: .zero))
    }

    @Test("a descriptor keeps its other properties when it is made non-blocking")
    func nonBlocking() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(fcntl(ends[1], F_SETFL, O_APPEND) == 0)
        #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
        Descriptors.setNonBlocking(ends[1])
        #expect(fcntl(ends[1], F_GETFL) & (O_NONBLOCK | O_APPEND) == O_NONBLOCK | O_APPEND)
    }

    @Test("what a full pipe has room for is written, then nothing, and where no process reads it is an error")
    func writeOnce() async {
        // In a process of its own, because the signal is set for all threads.
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            let ends = try #require(Descriptors.makePipe())
            func writeOnce(_ count: Int) -> Int? {
                let bytes = [UInt8](repeating: 1, count: count)
                return unsafe bytes.withUnsafeBytes { unsafe Descriptors.writeOnce($0, to: ends.write) }
            }
            let first = try #require(writeOnce(10 << 20))
            #expect(first > 0 && first < 10 << 20)
            #expect(writeOnce(1 << 16) == 0)
            close(ends.read)
            #expect(writeOnce(1) == nil)
            #expect(!Descriptors.write([1, 2], to: ends.write) && errno == EPIPE)
        }
    }

    @Test("the limit of descriptors is the process's own")
    func limit() async {
        await #expect(processExitsWith: .success) {
            var limits = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            #expect(Descriptors.limit == UInt64(limits.rlim_cur))
            limits.rlim_cur = 77
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            #expect(Descriptors.limit == 77)
        }
    }

    @Test("a process without descriptors gets none, with the call's name, and what it gives up is free again")
    func exhausted() async {
        await #expect(processExitsWith: .success) {
            func open() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            do { _ = (try Wake(), try Mailbox<Int>(), try FileNotices()) }
            // The first sleep opens descriptors of the runtime that stay open.
            try await Task.sleep(for: .milliseconds(1))
            let before = try open()
            for _ in 0..<10 { _ = (try Wake(), try Mailbox<Int>(), try FileNotices()) }
            // Swift's runtime opens a descriptor for a moment now and then.
            try await BoundedWait.until(every: .milliseconds(5)) { try open() <= before }
            var all: [Wake] = []
            var limits = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            limits.rlim_cur = 64
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            let wake = #expect(throws: SystemCallError.self) { while true { all.append(try Wake()) } }
            #expect(wake?.call == "eventfd" && wake?.errno == EMFILE && all.count > 10)
            #expect(wake?.isMissing == false)
            var (others, boxes) = ([FileNotices](), [Mailbox<Int>]())
            let notices = #expect(throws: SystemCallError.self) {
                while true { others.append(try FileNotices()) }
            }
            #expect(notices?.call == "inotify_init1" && notices?.errno == EMFILE)
            #expect(throws: SystemCallError.self) { while true { boxes.append(try Mailbox<Int>()) } }
            // A pipe needs two descriptors.
            #expect(Descriptors.makePipe() == nil && errno == EMFILE)
            (all, others, boxes) = ([], [], [])
            _ = try Wake()
        }
    }

    @Test(
        "no program that is started has the descriptors of a wake and of notices, and neither of them blocks"
    )
    func inherited() throws {
        let (wake, notices) = (try Wake(), try FileNotices())
        for descriptor in [wake.descriptor, notices.descriptor] {
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
        withExtendedLifetime((wake, notices)) {}
    }

    @Test("a terminal is opened again without blocking, for reading or for writing; nothing else is")
    func terminal() throws {
        var name = [CChar](repeating: 0, count: 128)
        let main = unsafe clinux_open_pseudo_terminal(&name, name.count)
        try #require(main >= 0)
        defer { close(main) }
        let terminal = unsafe open(name, O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        for (forWriting, mode) in [(false, O_RDONLY), (true, O_WRONLY)] {
            let opened = try #require(Descriptors.reopenTerminal(terminal, forWriting: forWriting))
            defer { close(opened) }
            #expect(fcntl(opened, F_GETFL) & O_ACCMODE == mode)
            #expect(fcntl(opened, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(opened, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(terminal, F_GETFL) & O_NONBLOCK == 0)
        }
        let ends = try #require(Descriptors.makePipe())
        defer {
            close(ends.read)
            close(ends.write)
        }
        #expect(Descriptors.reopenTerminal(ends.read, forWriting: false) == nil)
        #expect(Descriptors.reopenTerminal(-1, forWriting: true) == nil)
    }

    @Test("a pipe is opened again for reading without blocking; a write end and other files are not")
    func pipeAgain() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let opened = try #require(Descriptors.reopenPipe(ends[0]))
        defer { close(opened) }
        #expect(fcntl(opened, F_GETFL) & O_ACCMODE == O_RDONLY)
        #expect(fcntl(opened, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(opened, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(ends[0], F_GETFL) & O_NONBLOCK == 0)
        #expect(Descriptors.write([1], to: ends[1]))
        #expect(DescriptorWait.isReady(opened, atMost: .zero))
        let null = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        for other in [ends[1], null, -1] { #expect(Descriptors.reopenPipe(other) == nil) }
    }

    @Test(
        "a wait that the system refuses counts as interrupted, and pauses so that its repetition takes no time"
    )
    func refusedWait() async {
        await #expect(processExitsWith: .success) {
            var limits = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            limits.rlim_cur = 40
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            var wait = DescriptorWait()
            for _ in 0..<41 { wait.add(nil) }
            let start = ContinuousClock.now
            #expect(wait.wait(atMost: .zero) == .interrupted)
            #expect(ContinuousClock.now - start >= .milliseconds(10))
        }
    }
}
#endif
