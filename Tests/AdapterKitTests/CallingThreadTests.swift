import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc

@Suite("CallingThread", .timeLimit(.minutes(2)))
struct CallingThreadTests {
    private final class Seen: Sendable {
        let threads = Mutex<Set<UInt>>([])
        let steps = Mutex(0)
        func note() { threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
    }

    private struct Refused: Error, Equatable {}

    /// Blocks a thread of its own, and none of Swift's pool.
    private func onOneThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await WorkerThread().run(work)
    }

    @Test("the task, its children and its continuations run on the thread that calls")
    func thread() async {
        let (caller, seen) = await onOneThread {
            let seen = Seen()
            CallingThread.run { () async throws(Never) in
                seen.note()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            await Task.yield()
                            seen.note()
                        }
                    }
                }
                await WorkerQueue("elsewhere").run {}
                seen.note()
            }
            return (UInt(pthread_self()), seen.threads.withLock(\.self))
        }
        #expect(seen == [caller])
    }

    @Test("the error of the work comes to the caller")
    func failure() async {
        let caught = await onOneThread { () -> Refused? in
            do throws(Refused) {
                try CallingThread.run { () async throws(Refused) in throw Refused() }
                return nil
            } catch {
                return error
            }
        }
        #expect(caught == Refused())
    }

    @Test("a task that sleeps, and one that another thread resumes, end")
    func waits() async {
        let steps = await onOneThread {
            let seen = Seen()
            CallingThread.run { () async throws(Never) in
                for _ in 0..<100 {
                    await WorkerQueue("elsewhere").run { seen.steps.withLock { $0 += 1 } }
                }
                try? await Task.sleep(for: .microseconds(10))
            }
            return seen.steps.withLock(\.self)
        }
        #expect(steps == 100)
    }
}
#endif
