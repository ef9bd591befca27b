import AdapterKit
import LinuxSystem
import Synchronization
import Testing

@Suite("Waking a thread that waits", .timeLimit(.minutes(5)))
struct WakeTests {
    @Test("a wake stays raised until it is cleared, however often it was raised")
    func wake() throws {
        let wake = try Wake()
        #expect(!wake.isRaised)
        for _ in 0..<3 { wake.raise() }
        #expect(wake.isRaised && wake.isRaised)
        wake.clear()
        #expect(!wake.isRaised)
        wake.clear()
        wake.raise()
        #expect(wake.isRaised)
        wake.clear()
        #expect(!wake.isRaised)
    }

    @Test("a mailbox is readable exactly as long as it holds commands, which come in their order")
    func mailbox() throws {
        let mailbox = try Mailbox<Int>()
        func isReadable() -> Bool { DescriptorWait.isReady(mailbox.descriptor, atMost: .zero) }
        #expect(!isReadable() && mailbox.take().isEmpty)
        for number in 0..<5 { mailbox.post(number) }
        #expect(isReadable())
        #expect(mailbox.take() == [0, 1, 2, 3, 4])
        #expect(!isReadable() && mailbox.take().isEmpty)
        mailbox.post(5)
        #expect(isReadable() && mailbox.take() == [5] && !isReadable())
    }

    @Test("a mailbox that is closed gives back what was not taken, once, and refuses further commands")
    func closed() throws {
        let mailbox = try Mailbox<Int>()
        #expect(mailbox.post(1) && mailbox.post(2))
        #expect(mailbox.take() == [1, 2])
        #expect(mailbox.post(3) && mailbox.post(4))
        #expect(mailbox.close() == [3, 4])
        #expect(!mailbox.post(5))
        #expect(mailbox.take().isEmpty && mailbox.close().isEmpty)
    }

    @Test("of commands that many tasks post at once none is lost, and the waiting thread is woken for each")
    func crowd() async throws {
        let mailbox = try Mailbox<Int>()
        // On a thread of its own, because the wait would hold a thread that the posting tasks need.
        let waiting = Task(executorPreference: try ThreadExecutor()) {
            var found: [Int] = []
            while found.count < 400 {
                try #require(DescriptorWait.isReady(mailbox.descriptor, atMost: .seconds(240)))
                found += mailbox.take()
            }
            return found
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 { group.addTask { mailbox.post(number) } }
        }
        let found = try await waiting.value
        #expect(found.sorted() == Array(0..<400))
        #expect(!DescriptorWait.isReady(mailbox.descriptor, atMost: .zero))
    }
}
