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

    @Test("the thread does the jobs that it was given, and ends when the worker goes")
    func ends() async throws {
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
        }
        try await BoundedWait.until("the thread's end") { !guest.isLeft }
        #expect(done.withLock { $0 } == 50)
        pthread_key_delete(key)
    }
}
#endif
