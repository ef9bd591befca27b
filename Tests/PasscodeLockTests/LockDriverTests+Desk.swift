import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

extension LockDriverTests {
    /// A host with an actor of its own, as one session of a server is.
    actor Desk {
        let session: LockSession
        private let driver: LockDriver
        private var admission = LockDriver.Admission.admitted
        private var meanwhile: @Sendable () async -> Void = {}
        private(set) var log: [String] = []
        private(set) var resets = 0
        private(set) var covers: [LockCover] = []

        init(_ service: PasscodeService) {
            session = LockSession(service: service)
            driver = LockDriver(session: session)
        }

        func start() async {
            driver.host = LockDriver.Host(
                changed: {
                    self.assertIsolated()
                    self.covers.append(self.driver.cover)
                },
                prepare: { proof, _ in
                    self.assertIsolated()
                    self.log.append(proof.key == nil ? "no key" : "key")
                    self.log.append("\(self.driver.cover)")
                    await self.meanwhile()
                    return self.admission
                },
                settled: { _, isUnlocked in self.log.append(isUnlocked ? "unlocked" : "void") },
                openReset: { _ in self.resets += 1 }
            )
            await driver.start()
        }

        func admit(_ admission: LockDriver.Admission) { self.admission = admission }
        func whilePreparing(_ body: @escaping @Sendable () async -> Void) { meanwhile = body }
        func stop() { driver.stop() }
        func lock() async { await driver.lock() }
        func update() async { await driver.update() }
        func enter(_ phase: AppPhase) async { await driver.phaseChanged(to: phase) }
        /// Enters phases in one turn, before the session has answered any of them.
        func enterTogether(_ phases: [AppPhase], atOnce: Bool) async {
            covers = []
            let tasks = phases.map { phase in
                Task { atOnce ? await enterAtOnce(phase) : await enter(phase) }
            }
            for task in tasks { await task.value }
        }
        func enterAtOnce(_ phase: AppPhase) async { await driver.phaseChangedAtOnce(to: phase) }
        func type(_ digits: String) {
            for digit in digits { driver.screen?.handle(.input(.digit(digit.wholeNumberValue!))) }
        }
        func activate(_ id: ControlID) { driver.screen?.handle(.input(.activate(id))) }
        func unlock(with proof: UnlockProof) async -> Bool {
            await driver.unlock(with: proof, generation: driver.generation)
        }
        func unlock(with proof: UnlockProof, generation: UInt64) async -> Bool {
            await driver.unlock(with: proof, generation: generation)
        }
        var generation: UInt64 { driver.generation }

        var cover: LockCover { driver.cover }
        var content: ScreenContent? { driver.screen?.content }
        var ending: LockDriver.Ending? { driver.ending }
        /// Whether so much was logged, and the lock screen waits for the person again.
        func isReady(after count: Int) -> Bool {
            log.count == count && driver.screen?.content.isBusy == false
        }
    }

    /// A desk that is locked with the passcode.
    func locked() async throws -> Desk {
        try await bench.service().set(SecretBytes(right))
        let desk = Desk(try bench.service())
        #expect(await desk.cover == .obscured, "before it is known whether it locks")
        await desk.start()
        #expect(await desk.cover == .none)
        #expect(await desk.ending == nil)
        await desk.lock()
        #expect(await desk.cover == .lockScreen)
        return desk
    }
}
