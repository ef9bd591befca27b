#if os(Linux)
import Glibc
import LinuxSystem
import Testing

/// Standard streams that are closed. Each test has a process of its own, because its streams belong to the
/// process.
@Suite("Closed standard streams", .timeLimit(.minutes(5)))
struct StandardStreamTests {
    @Test("a closed stream is opened so that its use fails, and programs that are started have it closed")
    func filled() async {
        await #expect(processExitsWith: .success) {
            try await beginWaiting()
            for stream: Int32 in 0...2 { close(stream) }
            try Descriptors.fillStandardStreams()
            var byte: UInt8 = 0
            #expect(unsafe read(0, &byte, 1) == -1 && errno == EBADF)
            for stream: Int32 in 1...2 {
                #expect(!Descriptors.write([1], to: stream) && errno == EBADF)
            }
            for stream: Int32 in 0...2 { #expect(fcntl(stream, F_GETFD) == FD_CLOEXEC) }
            let next = dup(0)
            #expect(next > 2)
            close(next)
        }
    }

    @Test("an open stream stays what it is")
    func open() async {
        await #expect(processExitsWith: .success) {
            try await beginWaiting()
            let ends = try #require(Descriptors.makePipe())
            dup2(ends.write, 1)
            close(0)
            try Descriptors.fillStandardStreams()
            #expect(Descriptors.write([7], to: 1))
            #expect(DescriptorWait.isReady(ends.read, atMost: .zero))
            #expect(fcntl(1, F_GETFD) == 0)
        }
    }

    @Test("what is made in a process without standard streams has none of their numbers")
    func above() async {
        await #expect(processExitsWith: .success) {
            try await beginWaiting()
            for stream: Int32 in 0...2 { close(stream) }
            let (wake, notices) = (try Wake(), try FileNotices())
            let ends = try #require(Descriptors.makePipe())
            for descriptor in [wake.descriptor, notices.descriptor, ends.read, ends.write] {
                #expect(descriptor > 2)
                #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
            }
            for stream: Int32 in 0...2 { #expect(fcntl(stream, F_GETFD) == -1) }
            #expect(Descriptors.write([1], to: ends.write))
            #expect(DescriptorWait.isReady(ends.read, atMost: .zero))
            withExtendedLifetime((wake, notices)) {}
        }
    }

    @Test("a descriptor that cannot be moved is closed, and the error is told; another one stays as it is")
    func refused() async {
        await #expect(processExitsWith: .success) {
            #expect(Descriptors.aboveStandard(17) == 17)
            errno = ENOENT
            #expect(Descriptors.aboveStandard(-1) == -1 && errno == ENOENT)
            var limits = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            limits.rlim_cur = 3
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            #expect(Descriptors.aboveStandard(0) == -1 && errno != 0)
            #expect(fcntl(0, F_GETFD) == -1 && errno == EBADF)
        }
    }

    @Test("a library that opens a file by itself gets none of the numbers, and the streams are closed again")
    func library() async {
        await #expect(processExitsWith: .success) {
            try await beginWaiting()
            for stream: Int32 in [0, 2] { close(stream) }
            let opened = Descriptors.withoutStandardNumbers { dup(1) }
            #expect(opened > 2)
            for stream: Int32 in [0, 2] { #expect(fcntl(stream, F_GETFD) == -1) }
            #expect(fcntl(1, F_GETFD) >= 0)
            close(opened)
        }
    }
}

/// Waits once. Swift's runtime opens descriptors of its own at the first wait, and would take numbers that a
/// test has made free.
private func beginWaiting() async throws { try await Task.sleep(for: .milliseconds(1)) }
#endif
