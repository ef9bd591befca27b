internal import Logging
internal import PortcullisCore

/// Checks with a write whether the store takes writes. There is at most one such write a second.
actor Readiness {
    private let size: Int
    private let items: ServerItems
    private let clock: any LockClock
    private let logger: Logger
    private var last: (at: Duration, problem: Problem?)?
    /// The write that is under way. Calls during the write wait for it.
    private var trying: Task<Problem?, Never>?

    init(items: ServerItems, clock: any LockClock, logger: Logger, size: Int) {
        self.size = size
        self.items = items
        self.clock = clock
        self.logger = logger
    }

    /// Returns if the store takes a write.
    ///
    /// - Throws: ``Problem/full`` if the store has no room, ``Problem/busy`` if it fails for another reason.
    func check() async throws {
        if let last, clock.now.sinceBoot - last.at < .seconds(1) {
            if let problem = last.problem { throw problem }
            return
        }
        let task = trying ?? Task { await attempt() }
        trying = task
        if let problem = await task.value { throw problem }
    }

    /// Writes, and returns the problem if there is one. The second begins at the end of the write, because a
    /// write may itself take more than a second.
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
