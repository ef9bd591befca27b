#if os(Linux)
internal import ConsoleNotifier
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import TerminalHost

#if canImport(Glibc)
internal import Glibc
#endif

/// One run of the goal lock: feeds it with progress, tells what becomes of it, and ends when it should.
///
/// Several runs may work on one store; each tells what it sees, and the notification comes from one of them.
struct FocusRun: Sendable {
    /// What happens to a run, in one order.
    enum Event: Sendable {
        case status(GoalStatus)
        /// Progress came, and was handed on.
        case read(ProgressReading)
        case inputEnded
        /// A start was seen, or the shield has trouble.
        case shield(ShieldEvent)
        case signal(Int32)
        /// Time to look whether something changed that was not signalled.
        case look
    }

    /// How long the end may wait for what is under way.
    private static let patience = Duration.seconds(3)

    let parts: FocusBackends
    let service: GoalLockService
    let source: any ProgressSource
    let output: any FocusOutput
    let title: String
    let isOnce: Bool
    let events: AsyncStream<Event>
    let deliver: @Sendable (Event) -> Void

    private var clock: any LockClock { parts.clock }

    /// Runs until something ends it.
    func run() async -> FocusEnding {
        // Before anything is printed: a person who reads that the lock is on may start an app at once.
        let starts = await parts.shield.events()
        let statuses = await service.statuses()
        let feeder = Task { await feed() }
        let others = [
            Task { for await status in statuses { deliver(.status(status)) } },
            Task { await look() },
            Task { for await event in starts { deliver(.shield(event)) } },
        ]
        var story = FocusStory(isOnce: isOnce)
        var known: (selection: ShieldSelection, labels: Labels)?
        for await event in events {
            for message in await messages(of: event, in: &story, labels: &known) {
                if case .ended = message { continue }
                output.show(message)
            }
            if story.ending != nil { break }
        }
        let ending = story.ending ?? .signal(SIGTERM)
        source.stop()
        feeder.cancel()
        for task in others { task.cancel() }
        // What was granted is also told: the notification may be on its way.
        await within(Self.patience) {
            await feeder.value
            await parts.notifier.flush()
        }
        // Nothing comes after it.
        output.show(.ended(ending))
        await within(Self.patience) { await output.settle() }
        return ending
    }

    private func messages(
        of event: Event,
        in story: inout FocusStory,
        labels: inout (selection: ShieldSelection, labels: Labels)?
    ) async -> [FocusMessage] {
        var messages: [FocusMessage] = []
        switch event {
        case .status(var status):
            // The first one may be of before this run put things as it was asked to.
            if labels == nil || status.reason == .disabled, let now = try? await service.status() {
                status = now
            }
            messages = story.hear(.view(await view(of: status, labels: &labels)))
        case .read(.value(_, let date)): messages = story.hear(.read(date))
        case .read(.trouble(let trouble)): messages = story.hear(.trouble(trouble))
        case .inputEnded:
            // The last line may have reached the goal.
            if let status = try? await service.status() {
                messages = story.hear(.view(await view(of: status, labels: &labels)))
            }
            return messages + story.hear(.inputEnded)
        case .shield(let event): return hear(event, in: &story, labels: labels?.labels)
        case .signal(let number) where [SIGWINCH, SIGCONT].contains(number): output.redraw(all: true)
        case .signal(let number) where number == SIGTSTP: await suspend()
        case .signal(let number): return story.hear(.signal(number))
        case .look:
            do throws(GoalError) {
                let status = try await service.status()
                messages = story.hear(.view(await view(of: status, labels: &labels)))
                output.redraw(all: false)
            } catch {
                return story.hear(.failure(error.message))
            }
        }
        return messages + story.hear(.failure(await service.failure?.message))
    }

    private func hear(_ event: ShieldEvent, in story: inout FocusStory, labels: Labels?) -> [FocusMessage] {
        let now = clock.now.sinceBoot
        func started(_ app: AppToken, isDenied: Bool) -> [FocusMessage] {
            let label = labels?.label(of: app) ?? app.rawValue
            return story.hear(
                .started(FocusStart(token: app.rawValue, label: label, isDenied: isDenied), now)
            )
        }
        switch event {
        case .denied(let app): return started(app, isDenied: true)
        case .stopped(let app): return started(app, isDenied: false)
        case .problem(let error): return story.hear(.shieldTrouble(error.message, now))
        }
    }

    // MARK: Progress

    private func feed() async {
        while !Task.isCancelled, let reading = await source.next() {
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

    /// Looks now and then: each second where a store cannot tell of other processes' changes; otherwise for the
    /// time that is left on a terminal, and for what went wrong before.
    private func look() async {
        let isTold = parts.keystore.capabilities.contains(.signalsOtherProcesses)
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
            deliver(.look)
        }
    }

    // MARK: What is shut

    struct Labels: Sendable {
        var apps: [AppToken: String] = [:]
        var categories: [CategoryToken: String] = [:]

        /// The label of an app, which may be named without its ending.
        func label(of app: AppToken) -> String? { apps[app] ?? apps[AppToken("\(app.rawValue).desktop")] }
    }

    private func view(
        of status: GoalStatus,
        labels: inout (selection: ShieldSelection, labels: Labels)?
    ) async -> FocusView {
        let now = clock.now.sinceBoot
        if labels?.selection != status.selection {
            labels = (status.selection, await Labels(parts.shield.catalogue()))
        }
        let coverage = status.isShielded ? await parts.shield.coverage() : nil
        let items = FocusView.items(status.selection, labels: labels?.labels ?? Labels(), coverage: coverage)
        return FocusView(status, title: title, items: items, now: now)
    }

    // MARK: Stopping for a while

    /// Ctrl-Z: what is shut stays shut, and this process does not watch until it goes on.
    private func suspend() async {
        guard let terminal = output as? FocusTerminal else { return SignalWatch.stopProcess() }
        await terminal.withoutLine { SignalWatch.stopProcess() }
    }

    /// Waits for some work, but no longer than this.
    private func within(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async {
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        let worker = Task {
            await work()
            continuation.finish()
        }
        let timer = Task { [clock] in
            // Cancelled: the work was faster.
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + limit))
            continuation.finish()
        }
        for await _ in ended {}
        worker.cancel()
        timer.cancel()
    }
}

extension FocusRun.Labels {
    /// The labels of a catalogue.
    init(_ catalogue: ShieldCatalogue?) {
        for entry in catalogue?.apps ?? [] { apps[entry.token] = entry.label }
        for entry in catalogue?.categories ?? [] { categories[entry.token] = entry.label }
    }
}

extension FocusView {
    /// What is chosen, apps first, each in the order of labels.
    static func items(
        _ selection: ShieldSelection,
        labels: FocusRun.Labels,
        coverage: ShieldCoverage?
    ) -> [Item] {
        let apps = selection.apps.map { token in
            Item(
                token: token.rawValue,
                label: labels.label(of: token) ?? token.rawValue,
                isCategory: false,
                state: coverage?.apps[token]
            )
        }
        let categories = selection.categories.map { token in
            Item(
                token: token.rawValue,
                label: labels.categories[token] ?? token.rawValue,
                isCategory: true,
                state: coverage?.categories[token]
            )
        }
        func sorted(_ items: [Item]) -> [Item] {
            items.sorted { ($0.label.lowercased(), $0.token) < ($1.label.lowercased(), $1.token) }
        }
        return sorted(apps) + sorted(categories)
    }
}
#endif
