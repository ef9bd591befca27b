import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import TerminalHost

/// Signals of this process: SIGURG, which does nothing where it is not watched, and no other test sends.
@Suite("SignalWatch", .serialized, .timeLimit(.minutes(5)))
struct SignalWatchTests {
    private final class Heard: Sendable {
        private let numbers = Mutex<[Int32]>([])
        var all: [Int32] { numbers.withLock(\.self) }
        func hear(_ number: Int32) { numbers.withLock { $0.append(number) } }
    }

    /// What the process does with the signal: `nil` for nothing of its own.
    private static var handler: UnsafeRawPointer? {
        var action = sigaction()
        unsafe sigaction(SIGURG, nil, &action)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UnsafeRawPointer?.self)
    }

    /// Not `raise`: the threads of the pool block it.
    private func send() { kill(getpid(), SIGURG) }

    private func taken(from pipe: SignalPipe) -> Bool {
        DescriptorWait.isReady(pipe.descriptor, atMost: .seconds(120)) && pipe.next() == SIGURG
    }

    @Test("each of two watches is told of a signal, until it is ended; then it does what it did before")
    func two() async throws {
        let (first, second) = (Heard(), Heard())
        let one = try SignalWatch([SIGURG]) { first.hear($0) }
        let other = try SignalWatch([SIGURG]) { second.hear($0) }
        send()
        try await BoundedWait.until("both") { first.all == [SIGURG] && second.all == [SIGURG] }
        one.end()
        one.end()
        send()
        try await BoundedWait.until("the other one") { second.all.count == 2 }
        #expect(first.all.count == 1)
        #expect(unsafe Self.handler != nil)
        other.end()
        #expect(unsafe Self.handler == nil)
        let third = Heard()
        let again = try SignalWatch([SIGURG]) { third.hear($0) }
        send()
        try await BoundedWait.until("a third one") { third.all == [SIGURG] }
        again.end()
        #expect(unsafe Self.handler == nil)
    }

    @Test("a watch that goes away ends")
    func gone() throws {
        do { _ = try SignalWatch([SIGURG]) { _ in } }
        #expect(unsafe Self.handler == nil)
    }

    @Test("what is ignored stays so for a watch that spares it")
    func ignored() async throws {
        signal(SIGURG, SIG_IGN)
        defer { signal(SIGURG, SIG_DFL) }
        let (sparing, taking) = (Heard(), Heard())
        let one = try SignalWatch([SIGURG], sparing: .ignored) { sparing.hear($0) }
        let other = try SignalWatch([SIGURG]) { taking.hear($0) }
        send()
        try await BoundedWait.until("the one that takes it") { taking.all == [SIGURG] }
        #expect(sparing.all.isEmpty)
        one.end()
        other.end()
        #expect(unsafe Self.handler == UnsafeRawPointer(bitPattern: 1))
    }

    @Test("what is handled is left alone by one that spares it; two of these share a signal")
    func handled() async throws {
        let heard = Heard()
        let first = try SignalPipe([SIGURG], sparing: .handled)
        let second = try SignalPipe([SIGURG], sparing: .handled)
        send()
        #expect(taken(from: first) && taken(from: second))
        first.end()
        #expect(!first.send(SIGURG), "the other one has it still")
        second.end()
        #expect(unsafe Self.handler == nil)
        let watch = try SignalWatch([SIGURG]) { heard.hear($0) }
        let third = try SignalPipe([SIGURG], sparing: .handled)
        send()
        try await BoundedWait.until("the watch") { heard.all == [SIGURG] }
        #expect(third.next() == nil)
        third.end()
        watch.end()
    }

    @Test("a signal that comes at the last moment is sent again only where no other one had it")
    func late() throws {
        // Under another handler, which it is sent to again.
        let outer = try SignalPipe([SIGURG], sparing: .none)
        let pipe = try SignalPipe([SIGURG], sparing: .none)
        send()
        #expect(DescriptorWait.isReady(pipe.descriptor, atMost: .seconds(120)))
        pipe.end()
        #expect(pipe.next() == nil)
        #expect(taken(from: outer) && outer.next() == nil, "the other one has it anyway")
        outer.end()
    }

    @Test("a process has room for many watches, and says so where it has none")
    func many() throws {
        var all: [SignalPipe] = []
        var refusal: TerminalHostError?
        while refusal == nil, all.count < 100 {
            do throws(TerminalHostError) { all.append(try SignalPipe([SIGURG], sparing: .none)) } catch {
                refusal = error
            }
        }
        #expect(refusal?.code == .systemFailure && all.count > 32)
        for pipe in all { pipe.end() }
        #expect(unsafe Self.handler == nil)
    }

    @Test("a write without a reader is an error while signals are watched, and ends nothing")
    func brokenPipe() throws {
        let watch = try SignalWatch([SIGURG]) { _ in }
        var ends: [Int32] = [-1, -1]
        unsafe pipe(&ends)
        close(ends[0])
        #expect(unsafe write(ends[1], &ends, 1) == -1 && errno == EPIPE)
        close(ends[1])
        watch.end()
    }
}
