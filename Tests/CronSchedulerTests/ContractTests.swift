import CronScheduler
import PortcullisCore
import PortcullisTesting
import SystemClock
import Testing

@Suite(.timeLimit(.minutes(10))) struct ActivityContractTests {
    @Test(
        "X-3: the scheduler keeps the contract of activity schedulers",
        arguments: ActivitySchedulerContract.allCases
    )
    func contract(_ clause: ActivitySchedulerContract) async throws {
        let result = try await clause.check(
            ActivitySchedulerSubject { clock in
                CronScheduler(clock: clock, executor: clock.executor)
            }
        )
        let expected: ContractResult =
            clause == .refusesUnsupported ? .notApplicable("the scheduler can do all of it") : .kept
        #expect(result == expected)
    }

    @Test(
        "X-3: and on the machine's clock as far as time need not be moved",
        arguments: ActivitySchedulerContract.allCases
    )
    func runningClock(_ clause: ActivitySchedulerContract) async throws {
        let clock = SystemClock()
        try await clause.check(ActivitySchedulerSubject(running: clock) { CronScheduler(clock: clock) })
    }
}
