internal import AdapterKit
public import PortcullisCore

/// One run of the goal lock: feeds it with progress, tells what becomes of it, and ends when it should.
///
/// Several runs may work on one store; each tells what it sees, and the notification comes from one of them. The lock is
/// launched and enabled before the run.
public struct GoalRun: Sendable {
    /// What happens beside the lock.
    public enum Event: Sendable {
        /// An app that is shut was started, as a shield controller tells that can: it was denied it, or stopped right
        /// after.
        case started(AppToken, isDenied: Bool)
        /// The shield has trouble that no call reports.
        case shieldTrouble(ShieldError)
        /// The run is to end, for a reason that the host has a number for, such as a signal's.
        case end(Int32)
    }

    /// All that happens, in one order.
    private enum Happening: Sendable {
        case status(GoalStatus)
        /// Progress came, and was handed on.
        case read(ProgressReading)
        case inputEnded
        case event(Event)
        /// Time to look whether something changed that was not signalled.
        case look
    }

    /// The catalogue of a choice, which is asked for once.
    private struct Known {
        var selection: ShieldSelection
        var catalogue: ShieldCatalogue?
    }

    /// How long the end may wait for what is under way.
    private static let patience = Duration.seconds(3)

    private let service: GoalLockService
    private let progress: AsyncStream<ProgressReading>
    private let events: AsyncStream<Event>
    private let isOnce: Bool

    private var title: String { service.configuration.title }
    private var clock: any LockClock { service.backends.clock }
    private var shield: any ShieldController { service.backends.shield }

    /// A run of a lock.
    ///
    /// - Parameters:
    ///   - service: the lock. Its configuration's title is what the goal is called.
    ///   - progress: where the progress comes from. It is cancelled when the run ends.
    ///   - events: what happens beside the lock.
    ///   - isOnce: whether the run ends when today's goal is reached.
    public init(
        of service: GoalLockService,
        progress: AsyncStream<ProgressReading>,
        events: AsyncStream<Event>,
        isOnce: Bool = false
    ) {
        self.service = service
        self.progress = progress
        self.events = events
        self.isOnce = isOnce
    }

    /// Runs until something ends it, or the task is cancelled. Call it once.
    ///
    /// - Parameters:
    ///   - finish: carried out before the end is told, such as waiting for notifications that are on their way. It is
    ///     waited for 3 seconds at most.
    ///   - tell: takes each message; the last one is ``GoalMessage/ended(_:)``.
    /// - Returns: why it is over.
    public func run(
        finish: @escaping @Sendable () async -> Void = {},
        _ tell: (GoalMessage) -> Void
    ) async -> GoalEnding {
        let (happenings, continuation) = AsyncStream<Happening>.makeStream()
        let statuses = await service.statuses()
        let feeder = Task { await feed { continuation.yield($0) } }
        let others = [
            Task { for await status in statuses { continuation.yield(.status(status)) } },
            Task { await look { continuation.yield(.look) } },
            Task { for await event in events { continuation.yield(.event(event)) } },
        ]
        var rules = GoalRunRules(isOnce: isOnce)
        var known: Known?
        for await happening in happenings {
            for message in await messages(of: happening, in: &rules, known: &known) {
                if case .ended = message { continue }
                tell(message)
            }
            if rules.ending != nil { break }
        }
        feeder.cancel()
        for task in others { task.cancel() }
        // What was granted is also told: the notification may be on its way.
        await clock.wait(atMost: Self.patience) {
            await feeder.value
            await finish()
        }
        let ending = rules.ending ?? .cancelled
        tell(.ended(ending))
        return ending
    }

    private func messages(
        of happening: Happening,
        in rules: inout GoalRunRules,
        known: inout Known?
    ) async -> [GoalMessage] {
        var messages: [GoalMessage] = []
        switch happening {
        case .status(var status):
            // The first one may be of before this run put things as it was asked to.
            if known == nil || status.reason == .disabled, let now = try? await service.status() {
                status = now
            }
            messages = rules.take(.view(await view(of: status, known: &known)))
        case .read(.value(_, let date)): messages = rules.take(.read(date))
        case .read(.trouble(let trouble)): messages = rules.take(.trouble(trouble))
        case .inputEnded:
            // The last reading may have reached the goal.
            if let status = try? await service.status() {
                messages = rules.take(.view(await view(of: status, known: &known)))
            }
            return messages + rules.take(.inputEnded)
        case .event(let event):
            return rules.take(self.event(event, labels: CatalogueLabels(known?.catalogue)))
        case .look:
            do throws(GoalError) {
                let status = try await service.status()
                messages = rules.take(.view(await view(of: status, known: &known)))
            } catch {
                return rules.take(.failure(error.message))
            }
        }
        return messages + rules.take(.failure(await service.failure?.message))
    }

    private func event(_ event: Event, labels: CatalogueLabels) -> GoalRunRules.Event {
        let now = clock.now.sinceBoot
        switch event {
        case .started(let app, let isDenied):
            let start = GoalStart(token: app.rawValue, label: labels.label(of: app), isDenied: isDenied)
            return .started(start, now)
        case .shieldTrouble(let error): return .shieldTrouble(error.message, now)
        case .end(let number): return .signal(number)
        }
    }

    private func view(of status: GoalStatus, known: inout Known?) async -> GoalView {
        let now = clock.now.sinceBoot
        if known?.selection != status.selection {
            known = Known(selection: status.selection, catalogue: await shield.catalogue())
        }
        return GoalView(
            status,
            title: title,
            catalogue: known?.catalogue,
            coverage: status.isShielded ? await shield.coverage() : nil,
            now: now
        )
    }

    // MARK: Progress

    private func feed(_ deliver: (Happening) -> Void) async {
        for await reading in progress {
            // What goes wrong is the service's own to keep, and told with the next event.
            switch reading {
            case .value(let value, let date): _ = try? await service.update(progress: value, of: date)
            case .trouble(let trouble) where !trouble.isOfOneLine:
                _ = try? await service.noteUnreadableProgress()
            case .trouble: break
            }
            deliver(.read(reading))
        }
        if !Task.isCancelled { deliver(.inputEnded) }
    }

    // MARK: Looking

    /// Looks now and then: each second where a store cannot tell of other processes' changes; otherwise for what went
    /// wrong before.
    private func look(_ deliver: () -> Void) async {
        let isTold = service.backends.secrets.capabilities.contains(.signalsOtherProcesses)
        let interval = isTold ? Duration.seconds(20) : .seconds(1)
        var last: GoalStatus?
        while true {
            do { try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + interval)) } catch { return }
            var status = try? await service.status()
            status?.untilNextDay = .zero
            let isNews = status != nil && last != nil && status != last
            last = status
            // It says itself what comes of it.
            if await service.failure != nil || isNews { _ = try? await service.refresh() }
            deliver()
        }
    }
}
