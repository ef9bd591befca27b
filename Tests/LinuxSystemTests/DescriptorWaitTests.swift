import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import struct LinuxSystem.DescriptorWait

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Waiting on descriptors", .timeLimit(.minutes(1)))
struct DescriptorWaitTests {
    /// A pipe that is closed with it.
    private final class Pipe {
        let read: Int32
        let write: Int32
        private var isWriteOpen = true

        init() throws {
            let ends = try #require(Descriptors.makePipe())
            (read, write) = (ends.read, ends.write)
        }

        func closeWriteEnd() {
            isWriteOpen = false
            close(write)
        }

        deinit {
            close(read)
            if isWriteOpen { close(write) }
        }
    }

    @Test(
        "a wait is rounded up to whole milliseconds, never below none, and cut where the system counts no further",
        arguments: [
            (nil, -1), (.zero, 0), (.seconds(-3), 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
            (.microseconds(1_001), 2), (.milliseconds(999), 999), (.seconds(2), 2_000),
            (.seconds(2_147_482), 2_147_482_000), (.seconds(2_147_483), .max), (.seconds(Int64.max), .max),
        ] as [(Duration?, Int32)]
    )
    func milliseconds(_ row: (limit: Duration?, milliseconds: Int32)) {
        #expect(DescriptorWait.milliseconds(row.limit) == row.milliseconds)
    }

    @Test("what is ready stands at its place, and a place without a descriptor stays empty")
    func places() throws {
        let (empty, full) = (try Pipe(), try Pipe())
        Descriptors.write([1], to: full.write)
        var wait = DescriptorWait()
        let first = wait.add(empty.read)
        let none = wait.add(nil)
        let second = wait.add(full.read)
        let third = wait.add(full.write, .writable)
        #expect(wait.wait() == .ready)
        #expect(wait[first].isEmpty && wait[none].isEmpty)
        #expect(wait[second] == .readable && wait[third] == .writable)
    }

    @Test("a wait that found nothing forgets what it found before")
    func again() throws {
        let pipe = try Pipe()
        Descriptors.write([1], to: pipe.write)
        var wait = DescriptorWait()
        let place = wait.add(pipe.read)
        #expect(wait.wait(atMost: .zero) == .ready && wait[place] == .readable)
        var byte: [UInt8] = [0]
        let reading = unsafe byte.withUnsafeMutableBytes { unsafe Descriptors.read(pipe.read, into: $0) }
        #expect(reading == .bytes(1))
        #expect(wait.wait(atMost: .milliseconds(1)) == .timedOut && wait[place].isEmpty)
    }

    @Test("the other end's end is told, also where nothing was asked for")
    func hangUp() throws {
        let pipe = try Pipe()
        var wait = DescriptorWait()
        let place = wait.add(pipe.read, [])
        #expect(wait.wait(atMost: .zero) == .timedOut)
        pipe.closeWriteEnd()
        #expect(wait.wait() == .ready && !wait[place].isDisjoint(with: .hungUp))
    }

    @Test("a signal interrupts a wait and does not end it where one descriptor is waited for")
    func interruption() async throws {
        let pipe = try Pipe()
        let descriptor = pipe.read
        // Without SA_RESTART, so that the wait is interrupted.
        var action = sigaction()
        var before = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in }
        try #require(unsafe sigaction(SIGURG, &action, &before) == 0)
        let thread = Mutex<pthread_t?>(nil)
        let found = Mutex<(interrupted: DescriptorWait.Ending?, isReady: Bool?)>((nil, nil))
        Threads.start {
            // The threads of Swift's pool, of which it has its mask, block it.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGURG)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            thread.withLock { $0 = pthread_self() }
            var wait = DescriptorWait()
            wait.add(descriptor)
            let ending = wait.wait()
            found.withLock { $0.interrupted = ending }
            let isReady = DescriptorWait.isReady(descriptor)
            found.withLock { $0.isReady = isReady }
        }
        // Real time: the signals have to meet a thread that waits in the system.
        try await BoundedWait.until(every: .milliseconds(5)) {
            thread.withLock { thread in _ = thread.map { pthread_kill($0, SIGURG) } }
            return found.withLock { $0.interrupted != nil }
        }
        #expect(found.withLock { $0.interrupted } == .interrupted)
        for _ in 0..<3 {
            thread.withLock { thread in _ = thread.map { pthread_kill($0, SIGURG) } }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(found.withLock { $0.isReady } == nil)
        Descriptors.write([1], to: pipe.write)
        try await BoundedWait.until(every: .milliseconds(5)) { found.withLock { $0.isReady != nil } }
        #expect(found.withLock { $0.isReady } == true)
        _ = unsafe sigaction(SIGURG, &before, nil)
    }

    @Test("a descriptor that is not ready is given up after the limit")
    func limit() throws {
        let pipe = try Pipe()
        #expect(!DescriptorWait.isReady(pipe.read, atMost: .milliseconds(2)))
        #expect(DescriptorWait.isReady(pipe.write, for: .writable, atMost: .zero))
    }

    @Test("a read tells bytes, nothing, the end and a failure apart")
    func reading() throws {
        let pipe = try Pipe()
        func read(_ descriptor: Int32) -> Descriptors.Reading {
            var buffer = [UInt8](repeating: 0, count: 8)
            return unsafe buffer.withUnsafeMutableBytes { unsafe Descriptors.read(descriptor, into: $0) }
        }
        #expect(read(pipe.read) == .nothing)
        #expect(Descriptors.write([1, 2], to: pipe.write))
        #expect(read(pipe.read) == .bytes(2))
        pipe.closeWriteEnd()
        #expect(read(pipe.read) == .end)
        #expect(read(-1) == .failed(EBADF))
        #expect(!Descriptors.write([1], to: -1))
        let written = unsafe Descriptors.writeOnce(UnsafeRawBufferPointer(start: nil, count: 0), to: -1)
        #expect(written == nil)
    }

    @Test("a write of more than the pipe holds waits for its reader, and all of it arrives")
    func longWrite() async throws {
        let pipe = try Pipe()
        let (read, write) = (pipe.read, pipe.write)
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let isWritten = Mutex<Bool?>(nil)
        Threads.start {
            let done = Descriptors.write(bytes, to: write)
            isWritten.withLock { $0 = done }
        }
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while found.count < bytes.count {
            try #require(DescriptorWait.isReady(read, atMost: .seconds(30)))
            let reading = unsafe buffer.withUnsafeMutableBytes { unsafe Descriptors.read(read, into: $0) }
            guard case .bytes(let count) = reading else { break }
            found += buffer[..<count]
        }
        #expect(found == bytes)
        try await BoundedWait.until(every: .milliseconds(5)) { isWritten.withLock { $0 } == true }
    }
}
