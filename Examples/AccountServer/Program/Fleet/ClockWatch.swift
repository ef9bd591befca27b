internal import AccountService
internal import EtcdStore
internal import Logging
internal import PortcullisCore
internal import SealingStore
internal import ServiceLifecycle
internal import SystemClock

/// Tells the other servers of the fleet this server's wall time, notes how many servers there are, and closes
/// the gate while this server's clock is not to be trusted (SPEC F-3).
struct ClockWatch: Service, CustomStringConvertible {
    // The group of services writes these descriptions to the log.
    var description: String { "ClockWatch" }

    static let interval = Duration.seconds(1)
    /// How long the server still listens after it is told to end.
    private static let farewell = Duration.seconds(1)
    /// How long the other servers' clocks may be unknown before the gate closes.
    private static let patience = Duration.seconds(10)

    let presence: EtcdPresence
    let id: String
    let rule: ClockRule
    let gate: ServiceGate
    let fleet: FleetSize
    let newest: NewestTime
    let watch: StoreWatch
    let clock: any LockClock
    let logger: Logger

    func run() async {
        await cancelWhenGracefulShutdown {
            var readings = ClockReadings(begun: clock.now, lifetime: presence.lifetime)
            var heard = clock.now.sinceBoot
            while !Task.isCancelled {
                // The process may have stood still. Its clock may be another one now, so requests are not
                // answered before the look.
                closeIfUnheard(since: heard)
                do {
                    try await presence.tell { "\(milliseconds(clock.now.wall))" }
                    let asked = clock.now
                    let entries = try await presence.all()
                    let now = clock.now
                    let isLate = closeIfUnheard(since: heard)
                    readings.note(tellings(entries), at: now, asked: asked, limit: rule.limit)
                    fleet.set(readings.others.count + 1)
                    // Over a long time without a look a wrong clock would pass. The next look is a second later.
                    if !isLate { try await judge(&readings, now.wall) }
                    heard = now.sinceBoot
                } catch {
                    logger.warning("the clocks of the fleet were not read", metadata: ["reason": "\(error)"])
                    closeIfUnheard(since: heard)
                }
                // A sleep that ends early is no reason to stop.
                try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + Self.interval))
            }
        }
        gate.drain()
        // In this time a proxy notices that the server is not ready, before the server stops listening.
        try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + Self.farewell))
        // If this call fails, the other servers notice the end when this server's lease expires.
        try? await presence.leave()
    }

    private func tellings(_ entries: [EtcdPresence.Entry]) -> [ClockReadings.Telling] {
        entries.compactMap { entry in
            guard entry.id != id, let wall = Int64(entry.text) else { return nil }
            return .init(id: entry.id, wall: .milliseconds(wall), number: entry.revision)
        }
    }

    private func judge(_ readings: inout ClockReadings, _ wall: Duration) async throws {
        let others = readings.others
        var (behind, behindStored) = (Duration.zero, Duration.zero)
        // The stored time counts only while there is no other server. If the stored time cannot be read, a
        // fleet whose clocks agree still answers, and a wrong clock is still noticed.
        var trouble: (any Error)?
        do {
            let stored = try await newest.read()
            behindStored = .milliseconds(stored - milliseconds(wall))
            behind = max(behindStored, readings.newestAhead(of: wall))
        } catch {
            trouble = error
        }
        if let trouble, others.isEmpty { throw trouble }
        if let objection = rule.objection(others: others, behind: behind) { return close(objection) }
        watch.judged(nil)
        // The other servers' times may be known too roughly at the look that opens the gate, such as at the
        // start. So no time is kept or forgotten then. The next look is a second later.
        if gate.set(nil) { return }
        readings.forgetNewest(ifWrongBy: rule, at: wall)
        do {
            if let trouble { throw trouble }
            if rule.isWrong(newest: behindStored, others: others) {
                try await newest.correct(to: milliseconds(wall))
                logger.notice("the newest time in the store was wrong", metadata: ["by": "\(behindStored)"])
            } else {
                try await newest.note(milliseconds(wall))
            }
        } catch {
            logger.warning("the newest time was not noted", metadata: ["reason": "\(error)"])
        }
    }

    /// Closes the gate if the last look was too long ago.
    ///
    /// - Returns: whether it was.
    @discardableResult
    private func closeIfUnheard(since heard: Duration) -> Bool {
        let isLate = clock.now.sinceBoot - heard > Self.patience
        if isLate { close(.unknown) }
        return isLate
    }

    private func close(_ objection: ClockRule.Objection) {
        gate.set("\(objection)")
        watch.judged(objection)
    }

    private func milliseconds(_ wall: Duration) -> Int64 { Int64(wall / .milliseconds(1)) }
}

/// The newest time at which a server of the fleet answered. The store keeps it after the servers have ended.
actor NewestTime {
    private let store: any SecretStore
    private let name: SecretName
    private var known: (value: Int64, version: SecretVersion)?

    init(_ store: any SecretStore) throws(SecretStoreError) {
        self.store = store
        name = try SecretName("newest-time", in: SecretNamespace("account-server.fleet"))
    }

    /// Reads the time in milliseconds since 1970; 0 if no time was noted.
    func read() async throws(SecretStoreError) -> Int64 {
        guard let found = try await store.read(name) else {
            known = nil
            return 0
        }
        let text = found.value.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        guard let value = Int64(text) else {
            throw SecretStoreError(code: .damaged, message: "the newest time cannot be understood")
        }
        known = (value, found.version)
        return value
    }

    /// Notes a time if it is at least ten seconds newer than the noted one. If another server has noted a
    /// time meanwhile, that time stays.
    func note(_ value: Int64) async throws(SecretStoreError) {
        guard value - (known?.value ?? 0) >= 10_000 else { return }
        try await correct(to: value)
    }

    /// Replaces the noted time, even by an older one. If another server has replaced it meanwhile, that time
    /// stays.
    func correct(to value: Int64) async throws(SecretStoreError) {
        _ = try await store.write(
            SecretBytes(copying: "\(value)".utf8),
            to: name,
            accessibility: .afterFirstUnlockThisDeviceOnly,
            if: known.map { .version($0.version) } ?? .absent
        )
    }
}
