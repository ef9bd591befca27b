internal import Logging
internal import PortcullisCore

/// Whether the store takes a write, found out by writing; once a second at most, however often it is asked.
actor Readiness {
    private let size: Int
    private let items: ServerItems
    private let clock: any LockClock
    private let logger: Logger
    private var last: (at: Duration, problem: Problem?)?
    /// The write that is under way. Calls that come meanwhile wait for it.
    private var trying: Task<Problem?, Never>?

    init(items: ServerItems, clock: any LockClock, logger: Logger, size: Int) {
        self.size = size
        self.items = items
        self.clock = clock
        self.logger = logger
    }

    /// Returns when the store takes a write.
    ///
    /// - Throws: ``Problem/full`` when it has no room, ``Problem/busy`` when it fails otherwise.
    func check() async throws {
        if let last, clock.now.sinceBoot - last.at < .seconds(1) {
            if let problem = last.problem { throw problem }
            return
        }
        let task = trying ?? Task { await attempt() }
        trying = task
        if let problem = await task.value { throw problem }
    }

    /// Writes, and returns the problem if there is one. The second counts from the end of the write, because a write
    /// may last longer.
    private func attempt() async -> Problem? {
        var problem: Problem?
        do {
            let name = try SecretName("probe", in: items.names.probes)
            _ = try await items.store.write(
                SecretBytes(copying: [UInt8](repeating: 1, count: size)),
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
        } catch {
            logger.error("store cannot be written", metadata: ["reason": "\(error)"])
            problem = Problem(error) == .full ? .full : .busy
        }
        last = (clock.now.sinceBoot, problem)
        trying = nil
        return problem
    }
}
