import PasscodeLock
import PortcullisCore
import Testing

@Suite("Throttle (P-7)")
struct ThrottleTests {
    private func throttle(failures: Int, _ policy: ThrottlePolicy = .escalating) -> Throttle {
        var throttle = Throttle()
        for _ in 0..<failures { throttle.count(at: .start, under: policy) }
        return throttle
    }

    @Test("P-7: the default schedule: none, then 1 min, 5 min, 15 min, 1 h, 3 h, 8 h from the tenth on")
    func schedule() {
        let expected = [0, 0, 0, 0, 60, 300, 900, 3600, 10_800, 28_800, 28_800, 28_800]
        for (index, seconds) in expected.enumerated() {
            let throttle = throttle(failures: index + 1)
            #expect(throttle.failures == index + 1)
            #expect(throttle.timeLeft(at: .start, by: .device) == .seconds(seconds))
        }
        #expect(throttle(failures: 0).timeLeft(at: .start, by: .device) == .zero)
        #expect(throttle(failures: 1000, .unlimited).timeLeft(at: .start, by: .device) == .zero)
    }

    @Test("P-7: a schedule begins with the first failure; its last delay stands for all further ones")
    func ownSchedule() {
        let policy = ThrottlePolicy(delays: [.seconds(7), .seconds(9)])
        #expect((0...4).map { policy.delay(afterFailures: $0) } == [0, 7, 9, 9, 9].map { .seconds($0) })
    }

    @Test("P-7: a delay runs off with the boot clock, to the end and not beyond")
    func runsOff() {
        let throttle = throttle(failures: 5)
        #expect(throttle.timeLeft(at: .start + 59, by: .device) == .seconds(1))
        #expect(throttle.timeLeft(at: .start + 60, by: .device) == .zero)
        #expect(throttle.timeLeft(at: .start + 6000, by: .device) == .zero)
    }

    @Test("P-7: moving the wall clock either way changes nothing", arguments: [-1_000_000, 1_000_000])
    func wallClockMoved(by seconds: Int) {
        var moved = Moment.start + 10
        moved.wall += .seconds(seconds)
        #expect(throttle(failures: 5).timeLeft(at: moved, by: .device) == .seconds(50))
    }

    @Test("P-7: after a reboot what was not noted as served is served again, and no more")
    func reboot() {
        var throttle = throttle(failures: 6)
        let late = Moment.start + 200
        #expect(throttle.wantsNote(at: late, by: .device))
        throttle.note(at: late, by: .device)
        let afterReboot = (late + 30).rebooted(after: .seconds(86_400))
        #expect(throttle.timeLeft(at: afterReboot, by: .device) == .seconds(100))

        // The new boot serves it on, once it is noted there.
        #expect(throttle.wantsNote(at: afterReboot, by: .device))
        throttle.note(at: afterReboot, by: .device)
        #expect(throttle.timeLeft(at: afterReboot + 99, by: .device) == .seconds(1))
        #expect(throttle.timeLeft(at: afterReboot + 100, by: .device) == .zero)
    }

    @Test("P-7: a machine put back to an earlier snapshot of the same boot serves the delay in full")
    func snapshot() {
        var throttle = Throttle()
        for _ in 0..<5 { throttle.count(at: .start + 500, under: .escalating) }
        #expect(throttle.timeLeft(at: .start, by: .device) == .seconds(60))
    }

    @Test("P-7: time served is written down about once a minute, not more often")
    func noteInterval() {
        let throttle = throttle(failures: 8)
        #expect(!throttle.wantsNote(at: .start + 59, by: .device))
        #expect(throttle.wantsNote(at: .start + 60, by: .device))
        #expect(!self.throttle(failures: 1).wantsNote(at: .start + 3600, by: .device))
    }

    @Test("P-7: on a server the wall clock decides, whatever the boot, and moving it back gains nothing")
    func server() {
        let throttle = throttle(failures: 5, .escalating.measured(by: .server))
        let otherInstance = (Moment.start + 40).rebooted(after: .zero)
        #expect(throttle.timeLeft(at: otherInstance, by: .server) == .seconds(20))
        var back = Moment.start
        back.wall -= .seconds(3600)
        #expect(throttle.timeLeft(at: back, by: .server) == .seconds(60))
    }

    @Test("P-7: a right passcode forgets failures and delay")
    func clears() {
        var throttle = throttle(failures: 7)
        throttle.clear()
        #expect(throttle.failures == 0)
        #expect(throttle.timeLeft(at: .start, by: .device) == .zero)
    }

    @Test("P-7: the limit is due from its number of failures on")
    func limit() {
        let policy = ThrottlePolicy.escalating.afterFailures(10, .erase)
        #expect(policy.action(afterFailures: 9) == nil)
        #expect(policy.action(afterFailures: 10) == .erase)
        #expect(policy.action(afterFailures: 11) == .erase)
        #expect(ThrottlePolicy.escalating.action(afterFailures: 1000) == nil)
    }

    @Test("P-7: noting at any moments never lengthens or shortens a delay within a boot")
    func notingIsNeutral() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var noted = throttle(failures: 7)
            let plain = noted
            var elapsed = 0
            while elapsed < 1000 {
                elapsed += Int.random(in: 0...120, using: &generator)
                #expect(
                    noted.timeLeft(at: .start + elapsed, by: .device)
                        == plain.timeLeft(at: .start + elapsed, by: .device)
                )
                noted.note(at: .start + elapsed, by: .device)
            }
        }
    }

    @Test("P-7: a server, whose wall clock decides, has no time served to note")
    func serverNotes() {
        var throttle = Throttle()
        for _ in 0..<5 { throttle.count(at: .start, under: .escalating) }
        #expect(throttle.wantsNote(at: .start + 60, by: .device))
        #expect(!throttle.wantsNote(at: .start + 60, by: .server))
    }

    @Test(
        "P-7: a delay that a wrong clock left far ahead is served once more, and not until the clock gets there"
    )
    func serverClockAhead() {
        var throttle = throttle(failures: 5, .escalating.measured(by: .server))
        var back = Moment.start
        back.wall -= .seconds(365 * 86_400)
        #expect(throttle.wantsNote(at: back, by: .server))
        throttle.note(at: back, by: .server)
        #expect(throttle.timeLeft(at: back, by: .server) == .seconds(60))
        #expect(throttle.timeLeft(at: back + 60, by: .server) == .zero)
        #expect(!throttle.wantsNote(at: back + 1, by: .server))
        #expect(!throttle.wantsNote(at: .start + 59, by: .device))
    }
}
