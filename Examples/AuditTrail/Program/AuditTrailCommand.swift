internal import ArgumentParser
internal import Audit
internal import GcryptKeystore
internal import Logging
internal import PasscodeLock
internal import PortcullisCore
internal import PortcullisTesting

/// Uses a passcode for a few minutes, and shows the lines that an audit gets.
@main
struct AuditTrailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit-trail",
        abstract: "Logs what happens to a passcode, as an audit wants it."
    )

    @Option(help: "The number of wrong passcodes.")
    var wrong = 2

    func run() async throws {
        let service = try PasscodeService(
            user: .device,
            // The clock stands still, so that the lines are the same each time.
            backends: Backends(
                secrets: InMemorySecretStore(),
                sealer: GcryptPasscodeSealer(),
                clock: ManualClock()
            ),
            session: FixedSession(nil),
            configuration: PasscodeConfiguration(appName: "Ledger")
        )
        let events = service.events()
        let trail = AuditTrail(logger: Logger(label: "audit") { _ in LineLog() })
        let following = Task { await trail.follow(events) }
        try await play(LockSession(service: service))
        following.cancel()
        await following.value
    }

    private func play(_ session: LockSession) async throws {
        let (passcode, mistake) = (SecretBytes(copying: "834912".utf8), SecretBytes(copying: "270954".utf8))
        let service = session.service
        try await service.set(passcode)
        await session.launch()
        await session.lock()
        for _ in 0..<wrong { _ = try await service.verify(mistake) }
        if case .right(let proof) = try await service.verify(passcode) {
            await session.unlock(with: proof, generation: session.state.generation)
        }
        try await service.logOut()
    }
}
