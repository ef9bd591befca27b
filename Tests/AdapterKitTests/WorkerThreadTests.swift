import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc

@Suite("WorkerThread", .timeLimit(.minutes(2)))
struct WorkerThreadTests {
    /// Counts how many of them are left.
    private final class Guest: Sendable {
        private let left: Mutex<Int>
        init() { left = Mutex(1) }
        var isLeft: Bool { left.withLock { $0 > 0 } }
        func leave() { left.withLock { $0 = 0 } }
    }

    @Test("jobs run one after the other, in their order, on one thread that is not the caller's")
    func order() async throws {
        let worker = WorkerThread()
        let seen = Mutex<[(number: Int, thread: UInt)]>([])
        for number in 0..<200 {
            worker.enqueue {
                let thread = UInt(pthread_self())
                seen.withLock { $0.append((number, thread)) }
            }
            if number % 50 == 0 {
                try await BoundedWait.until("the jobs so far") { seen.withLock { $0.count } == number + 1 }
            }
        }
        try await BoundedWait.until("all jobs") { seen.withLock { $0.count } == 200 }
        #expect(seen.withLock { $0.map(\.number) } == Array(0..<200))
        #expect(Set(seen.withLock { $0.map(\.thread) }).count == 1)
    }

    @Test("jobs that many threads give are all done, each once")
    func manyGivers() async throws {
        let worker = WorkerThread()
        let done = Mutex(0)
        let count = 10_000
        for _ in 0..<4 {
            Threads.start {
                for _ in 0..<count { worker.enqueue { done.withLock { $0 += 1 } } }
            }
        }
        try await BoundedWait.until("all jobs") { done.withLock { $0 } == 4 * count }
        await worker.run {}
        #expect(done.withLock { $0 } == 4 * count)
    }

    @Test("a sleep is not shorter than it is asked for")
    func sleeps() {
        let start = ContinuousClock.now
        Threads.sleep(microseconds: 2_000)
        #expect(ContinuousClock.now - start >= .milliseconds(2))
    }

    @Test("the thread does the jobs that it was given, and ends when the worker goes")
    func ends() async throws {
        // Also where the thread has nothing to do when the worker goes, as it mostly has then.
        for isIdle in [false] + Array(repeating: true, count: 20) { try await end(isIdle: isIdle) }
    }

    private func end(isIdle: Bool) async throws {
        let guest = Guest()
        let done = Mutex(0)
        var key = pthread_key_t()
        // The value of a key is given back when its thread ends.
        unsafe pthread_key_create(&key) { value in
            guard let value = unsafe value else { return }
            unsafe Unmanaged<Guest>.fromOpaque(value).takeRetainedValue().leave()
        }
        do {
            let worker = WorkerThread()
            worker.enqueue { [key] in
                unsafe pthread_setspecific(key, Unmanaged.passRetained(guest).toOpaque())
            }
            for _ in 0..<50 { worker.enqueue { done.withLock { $0 += 1 } } }
            if isIdle { try await BoundedWait.until("the jobs") { done.withLock { $0 } == 50 } }
        }
        try await BoundedWait.until("the thread's end") { !guest.isLeft }
        #expect(done.withLock { $0 } == 50)
        pthread_key_delete(key)
    }
}
#endif
