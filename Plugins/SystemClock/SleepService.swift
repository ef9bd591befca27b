internal import PortcullisCore

/// Wakes sleepers and reports changes of the clock, as the platform can.
protocol SleepService: Sendable {
    func sleep(until deadline: ClockDeadline) async throws(CancellationError)
    func notices() -> AsyncStream<ClockNotice>
    /// Starts its thread, where it has one.
    func start() throws(ThreadRefusal)
    /// Ends its thread and streams.
    func stop()
}

func makeSleepService() -> any SleepService {
    #if os(Linux)
    TimerThread()
    #else
    ContinuousSleeps()
    #endif
}
