internal import Logging
internal import PortcullisCore

/// Whether the store takes a write, found out by writing; once a second at most, however often it is asked.
actor Readiness {
    private let size: Int
    private let items: ServerItems
    private let clock: any LockClock
    private let logger: Logger
    private var last: (at: Duration, problem: Problem?)?

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
        let now = clock.now.sinceBoot
        if let last, now - last.at < .seconds(1) {
            if let problem = last.problem { throw problem }
            return
        }
        do {
            let name = try SecretName("probe", in: items.names.probes)
            _ = try await items.store.write(
                SecretBytes(copying: [UInt8](repeating: 1, count: size)),
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
            last = (now, nil)
        } catch {
            logger.error("store cannot be written", metadata: ["reason": "\(error)"])
            let problem = Problem(error) == .full ? Problem.full : Problem.busy
            last = (now, problem)
            throw problem
        }
    }
}
