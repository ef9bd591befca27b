#if os(Linux)
internal import AdapterKit
internal import ConsoleNotifier
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import TerminalHost
internal import SystemClock

#if canImport(Glibc)
internal import Glibc
#endif

/// A run of the goal lock. It writes to an output and handles signals.
struct FocusRun: Sendable {
    /// The longest time that the end of the run waits for the output.
    private static let patience = Duration.seconds(3)
    /// The interval at which the remaining time is drawn again.
    private static let redrawn = Duration.seconds(20)

    let parts: FocusBackends
    let service: GoalLockService
    let progress: AsyncStream<ProgressReading>
    /// The shield's events since before the lock was started.
    let starts: AsyncStream<ShieldEvent>
    let output: any FocusOutput
    let isOnce: Bool
    let signals: AsyncStream<Int32>

    /// Runs until an event ends the run.
    func run() async -> GoalEnding {
        let (events, continuation) = AsyncStream<GoalRun.Event>.makeStream()
        let others = [
            Task { for await event in starts { continuation.yield(.init(event)) } },
            Task { for await number in signals { await take(number) { continuation.yield($0) } } },
            Task { await redraw() },
        ]
        let ending = await GoalRun(of: service, progress: progress, events: events, isOnce: isOnce)
            .run(finish: { [notifier = parts.notifier] in await notifier.flush() }) { output.show($0) }
        for task in others { task.cancel() }
        await parts.clock.wait(atMost: Self.patience) { [output] in await output.settle() }
        return ending
    }

    private func take(_ signal: Int32, _ deliver: (GoalRun.Event) -> Void) async {
        switch signal {
        case SIGWINCH, SIGCONT: output.redraw(all: true)
        // While Ctrl-Z stops this process, the process cannot answer the kernel's questions at the shield's
        // gate. So the gate is opened. When this process continues, it stops the apps that started meanwhile.
        case SIGTSTP:
            await parts.shield.withOpenGate { [output] in
                guard let terminal = output as? FocusTerminal else { return SignalWatch.stopProcess() }
                await terminal.withoutLine { SignalWatch.stopProcess() }
            }
        default: deliver(.end(signal))
        }
    }

    private func redraw() async {
        let clock = parts.clock
        while true {
            let due = ClockDeadline.sinceBoot(clock.now.sinceBoot + Self.redrawn)
            do { try await clock.sleep(until: due) } catch { return }
            output.redraw(all: false)
        }
    }
}

extension GoalRun.Event {
    fileprivate init(_ event: ShieldEvent) {
        switch event {
        case .denied(let app): self = .started(app, isDenied: true)
        case .stopped(let app): self = .started(app, isDenied: false)
        case .problem(let error): self = .shieldTrouble(error)
        }
    }
}
#endif
