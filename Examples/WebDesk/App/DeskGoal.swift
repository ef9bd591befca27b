internal import AdapterKit
internal import GoalLock
internal import HummingbirdLock
internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop

/// The goal lock of the shop: the chosen apps stay shut each day until enough repairs were handed out.
struct DeskGoal: Sendable {
    /// The name of the goal lock's screen. The screen's address ends with this name.
    static let screen = "goal"
    private static let repairsADay = 3.0

    private let service: GoalLockService
    private let book: RepairBook
    private let clock: any LockClock
    private let counting = SerialTurn()

    init(_ backends: Backends, _ book: RepairBook) throws(GoalError) {
        var configuration = GoalConfiguration(goal: Self.repairsADay, title: "Repairs")
        configuration.strings.walk = "Hand Out Repairs to Unlock"
        configuration.strings.note = { dayStart in
            "Selected apps stay shut until three repairs were handed out. Shields reset at \(dayStart)."
        }
        service = try GoalLockService(backends: backends, configuration: configuration)
        self.book = book
        clock = backends.clock
    }

    /// Brings the shields up to date, follows the day, and counts repairs that were handed out and not
    /// counted.
    func launch() async throws {
        try await service.launch()
        try await count()
    }

    /// Counts the repairs that were handed out today. If a count failed, or its process was killed, the next
    /// count makes up for it.
    func count() async throws {
        // An older count must not replace a newer one.
        await counting.begin()
        defer { counting.end() }
        let (known, now) = (try await service.status(), clock.now.wall)
        var progress = 0.0
        // The calendar is asked only about the times that may be of today.
        for time in try await book.repairs().compactMap(\.handedOut) where now - time < .seconds(48 * 3600) {
            if try await service.date(of: time) == known.date { progress += 1 }
        }
        // A lower count lacks repairs that were counted before, such as repairs whose time was not recorded.
        guard progress > known.progress else { return }
        // If a new day begins meanwhile, this count is of another date and is ignored.
        try await service.update(progress: progress, of: known.date)
    }

    /// Shows the settings over a session's pages, and returns when the settings have closed. If the person
    /// may not act for the shop, the call shows nothing.
    func open(on session: isolated WebSession, asking client: SignInClient) async {
        guard await session.visit?.mayAct(asking: client, at: clock.now) == true else { return }
        let effects = GoalScreenEffects(service: service, clock: clock)
        await session.show { session, close in
            let driver = effects.settingsDriver(
                mayLoosen: { [weak session] in
                    await session?.mayLoosen(asking: client, clock) ?? .withheld(message: nil)
                },
                pick: { [weak session] in await session?.pick($0, of: $1, effects) },
                openPaywall: {},
                finish: close
            )
            driver.handle(.appeared)
            return driver
        }
    }
}

extension WebSession {
    fileprivate func pick(
        _ selection: ShieldSelection,
        of catalogue: ShieldCatalogue?,
        _ effects: GoalScreenEffects
    ) async -> ShieldSelection? {
        let (choices, choice) = AsyncStream<ShieldSelection?>.makeStream()
        await show { _, close in
            effects.pickerDriver(
                of: catalogue ?? ShieldCatalogue(apps: [], categories: []),
                selection: selection
            ) {
                choice.yield($0)
                close()
            }
        }
        choice.finish()
        for await chosen in choices { return chosen }
        return nil
    }

    /// Asks for the passcode before the goal lock is loosened, if one is set. If the person may not act for
    /// the shop any more, nothing is loosened. This is checked again after the passcode was entered, because
    /// the question may have stood for hours.
    fileprivate func mayLoosen(
        asking client: SignInClient,
        _ clock: any LockClock
    ) async -> GoalScreenEffects.Permission {
        guard await visit?.mayAct(asking: client, at: clock.now) == true else {
            return .withheld(message: nil)
        }
        let status: PasscodeStatus
        do throws(PasscodeError) { status = try await service.status() } catch {
            return .withheld(message: error.message)
        }
        guard status.isSet else { return .granted }
        let (endings, ending) = AsyncStream<AskPasscodeScreen.Ending>.makeStream()
        let service = service
        await show { _, close in
            ScreenEffects(service: service).askPasscodeDriver(
                status: status,
                to: { passcode throws(PasscodeError) in try await service.verify(passcode) },
                finish: {
                    ending.yield($0)
                    close()
                }
            )
        }
        ending.finish()
        for await case .done in endings {
            let mayAct = await visit?.mayAct(asking: client, at: clock.now) == true
            return mayAct ? .granted : .withheld(message: nil)
        }
        return .withheld(message: nil)
    }
}
