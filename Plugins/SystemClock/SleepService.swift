internal import PortcullisCore

/// Wakes sleepers and reports changes of the clock. Each platform has its own implementation.
protocol SleepService: Sendable {
    func sleep(until deadline: ClockDeadline) async throws(CancellationError)
    func notices() -> AsyncStream<ClockNotice>
    /// Starts the thread of the service. If the service uses no thread, the call does nothing.
    func start() throws(ThreadRefusal)
    /// Ends the thread and the streams of the service.
    func stop()
}

func makeSleepService() -> any SleepService {
    #if os(Linux)
    TimerThread()
    #else
    ContinuousSleeps()
    #endif
}
