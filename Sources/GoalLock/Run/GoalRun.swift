internal import AdapterKit
public import PortcullisCore

/// One run of the goal lock. It passes progress to the lock, reports messages, and ends for one of the
/// reasons in ``GoalEnding``.
///
/// Several runs may work on one store. Each run reports its own messages, but only one run sends the
/// notification.
/// The caller launches and enables the lock before the run.
public struct GoalRun: Sendable {
    /// An event outside of the lock.
    public enum Event: Sendable {
        /// A shut app was started. Its start was denied, or the app was stopped right after it started.
        case started(AppToken, isDenied: Bool)
        /// The shield has a problem that it did not report as the error of a call.
        case shieldTrouble(ShieldError)
        /// The host ends the run. The host chooses the number, for example a signal's number. The run ends
        /// within seconds, even if the shield or the store does not answer.
        case end(Int32)
    }

    /// An input that the run handles. The run merges all inputs into one sequence.
    private enum Happening: Sendable {
        case status(GoalStatus)
        /// The source gave this reading. The feed has already taken the reading.
        case read(ProgressReading)
        case inputEnded
        case event(Event)
        /// It is time to look for changes that were not signalled.
        case look
    }

    /// A selection and the shield's catalogue. The catalogue is read once for each selection.
    private struct Known {
        let selection: ShieldSelection
        let catalogue: ShieldCatalogue?
        let labels: CatalogueLabels

        init(_ selection: ShieldSelection, _ catalogue: ShieldCatalogue?) {
            (self.selection, self.catalogue) = (selection, catalogue)
            labels = CatalogueLabels(catalogue)
        }
    }

    /// The limit of each wait before the run reports its end. The run waits until the last reading is stored,
    /// then until the shield follows it, and then until the host's work is done. After ``Event/end(_:)`` the
    /// run first waits for a call to the shield or the store that has not returned yet.
    private static let patience = Duration.seconds(3)

    /// A reading and the time since boot at which it arrived.
    private typealias Arrival = (reading: ProgressReading, time: Duration)

    /// The greatest number of readings that wait until the lock has stored the readings before them. While
    /// so many wait, the run reads nothing from the source. A source that gives readings without an end then
    /// needs no more memory. A reading that stays with the source meanwhile gets the time at which the run
    /// reads it.
    private static let mostWaiting = 1_024

    let service: GoalLockService
    private let progress: AsyncStream<ProgressReading>
    private let events: AsyncStream<Event>
    private let isOnce: Bool

    private var title: String { service.configuration.title }
    var clock: any LockClock { service.backends.clock }
    var shield: any ShieldController { service.backends.shield }

    /// Makes a run of a lock.
    ///
    /// - Parameters:
    ///   - service: the lock. Its configuration's title is the goal's name.
    ///   - progress: the source of progress. It is cancelled when the run ends.
    ///   - events: the events outside of the lock.
    ///   - isOnce: whether the run ends when today's goal is reached and the shield is down. If the shield
    ///     could not be lifted, the run goes on and tries again to lift the shield.
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

    /// Runs until an event ends the run or the task is cancelled. Call it once.
    ///
    /// - Parameters:
    ///   - finish: called before the end is reported, for example to wait until notifications are sent. The
    ///     run waits at most 3 seconds for this call to return.
    ///   - tell: receives each message. The last message is ``GoalMessage/ended(_:)``.
    /// - Returns: the reason why the run ended.
    public func run(
        finish: @escaping @Sendable () async -> Void = {},
        _ tell: (GoalMessage) -> Void
    ) async -> GoalEnding {
        let (messages, told) = AsyncStream<GoalMessage>.makeStream()
        let (happenings, continuation) = AsyncStream<Happening>.makeStream()
        let statuses = await service.statuses()
        let feed = GoalFeed(of: service)
        let waiting = WaitingStarts()
        let feeder = Task { await read(into: feed) { continuation.yield($0) } }
        // A call to the shield or the store may never return. Such a call blocks only the task that made it.
        // The task that reads the events makes no such call, so it can always end the run.
        let others = [
            Task { await handle(happenings, waiting) { told.yield($0) } },
            Task { for await status in statuses { continuation.yield(.status(status)) } },
            Task { await look(repeating: feed) { continuation.yield(.look) } },
            Task {
                for await event in events where waiting.note(event) {
                    continuation.yield(.event(event))
                    if case .end(let number) = event { await end(number) { told.yield($0) } }
                }
            },
        ]
        var ending = GoalEnding.cancelled
        for await message in messages {
            if case .ended(let reason) = message {
                ending = reason
                break
            }
            tell(message)
        }
        feeder.cancel()
        for task in others { task.cancel() }
        // If the goal was reached just now, the notification may not have been sent yet. So the run waits
        // before it reports the end.
        await clock.wait(atMost: Self.patience) { await feeder.value }
        // If the store accepts no write, the wait for the feeder lasts until its limit. A shared limit would
        // then leave no time for `finish`. So the wait for `finish` has a limit of its own.
        await clock.wait(atMost: Self.patience) { await finish() }
        tell(.ended(ending))
        return ending
    }

    /// Handles each input in turn, and delivers the messages to report. The last message tells why the run
    /// ended.
    private func handle(
        _ happenings: AsyncStream<Happening>,
        _ waiting: WaitingStarts,
        _ deliver: (GoalMessage) -> Void
    ) async {
        var rules = GoalRunRules(isOnce: isOnce)
        var known: Known?
        for await happening in happenings {
            if case .event(let event) = happening { waiting.forget(event) }
            for message in await messages(of: happening, in: &rules, known: &known) { deliver(message) }
            if rules.ending != nil { return }
        }
    }

    /// Waits for ``patience``, and then ends the run with this number if the run is still under way.
    private func end(_ number: Int32, _ deliver: (GoalMessage) -> Void) async {
        // The sleep throws if the run ends before this time and cancels the task.
        do { try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + Self.patience)) } catch { return }
        deliver(.ended(.signal(number)))
    }

    private func messages(
        of happening: Happening,
        in rules: inout GoalRunRules,
        known: inout Known?
    ) async -> [GoalMessage] {
        var messages: [GoalMessage] = []
        switch happening {
        case .status(var status):
            // The first status, or a status in which the lock is off, may be older than the caller's last
            // change of the lock. So the run reads the status again in these two cases.
            if known == nil || status.reason == .disabled, let now = try? await service.status() {
                status = now
            }
            messages = await take(status, in: &rules, known: &known)
        case .read(.value(_, let date)):
            let isFirst = !rules.hasRead
            messages = rules.take(.read(date))
            // The view is still that of the time before the first reading. Without a view, the first status is
            // read again.
            if isFirst, known != nil, let status = try? await service.status() {
                messages += await take(status, in: &rules, known: &known)
            }
        case .read(.trouble(let trouble)): messages = rules.take(.trouble(trouble))
        case .inputEnded:
            // The last progress before the end may have reached the goal, so the status is read once more.
            if let status = try? await service.status() {
                messages = await take(status, in: &rules, known: &known)
            }
            // The failure comes before the end of the input, because the rules report nothing after the end.
            messages += rules.take(.failure(await service.failure?.message))
            return messages + rules.take(.inputEnded)
        case .event(let event):
            return rules.take(self.event(event, labels: known?.labels ?? CatalogueLabels(nil)))
        case .look:
            do throws(GoalError) {
                let status = try await service.status()
                messages = await take(status, in: &rules, known: &known)
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

    /// Passes a status on to the rules, with what the shield does, and returns the messages to report.
    private func take(
        _ status: GoalStatus,
        in rules: inout GoalRunRules,
        known: inout Known?
    ) async -> [GoalMessage] {
        let now = clock.now.sinceBoot
        if known?.selection != status.selection {
            known = Known(status.selection, await shield.catalogue())
        }
        let coverage = await shield.coverage()
        let isFollowed = coverage.follows(status)
        let view = GoalView(
            status,
            title: title,
            catalogue: known?.catalogue,
            // A shield that could not be lifted still keeps apps shut. So its coverage is reported too.
            coverage: status.isShielded || !isFollowed ? coverage : nil,
            now: now
        )
        return rules.take(.view(view, isFollowed: isFollowed))
    }

    // MARK: Progress

    private func read(into feed: GoalFeed, _ deliver: (Happening) -> Void) async {
        // The store may be busy for seconds. If the next reading stayed with the source until then, it could
        // get the time of another day.
        let (arrivals, arriving) = AsyncStream.makeStream(of: Arrival.self)
        // Each element of `room` lets one more reading wait. The reader takes an element after each reading
        // that it has noted. The first reading needs no element, so there is one fewer than `mostWaiting`.
        let (room, spare) = AsyncStream.makeStream(of: Void.self)
        for _ in 1..<Self.mostWaiting { spare.yield() }
        async let reader: Void = note(arriving, room)
        for await (reading, time) in arrivals {
            spare.yield()
            if Task.isCancelled {
                // The run has ended. The stream still gives all readings that waited, but storing each of
                // them could take long.
                await feed.keep(reading, arrived: time)
            } else {
                await feed.take(reading, arrived: time)
                deliver(.read(reading))
            }
        }
        await reader
        // The feed may still hold a reading that is not stored. The source does not give that reading again,
        // so the feed tries to store it before the run ends.
        await repeatUntilDone { await feed.storeRest() }
        if Task.isCancelled { return }
        // After the run, nothing repeats a failed change of the shield. So the run repeats the change now.
        await repeatUntilDone { await followStatus() }
        deliver(.inputEnded)
    }

    /// Repeats some work until it returns `true`, for ``patience`` at most.
    private func repeatUntilDone(_ work: @escaping @Sendable () async -> Bool) async {
        await clock.wait(atMost: Self.patience) {
            while await !work(), !Task.isCancelled {
                try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .milliseconds(100)))
            }
        }
    }

    /// Notes each reading of the source with the time at which it arrives, and waits for room before the next
    /// one.
    private func note(
        _ arriving: AsyncStream<Arrival>.Continuation,
        _ room: AsyncStream<Void>
    ) async {
        var room = room.makeAsyncIterator()
        for await reading in progress {
            arriving.yield((reading, clock.now.sinceBoot))
            // In a cancelled task this wait ends at once. The loop continues even then, because the source
            // stops when a cancelled task asks it for the next reading.
            _ = await room.next()
        }
        arriving.finish()
    }
}
