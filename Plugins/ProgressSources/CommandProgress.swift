#if os(Linux)
internal import AdapterKit
internal import Glibc
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Progress as a shell command prints it, asked for at once and then every so often.
///
/// The command runs as `/bin/sh -c`, in a session of its own, with no input and no terminal. It may take so long, and
/// print 64 KiB; then it is killed with all that it has started. It also ends with this process, whatever ends that. What
/// it prints is one number: digits, a decimal point, an exponent.
public final class CommandProgress: Sendable {
    private let command: ProgressCommand
    private let every: Duration
    private let clock: any LockClock
    private let today: @Sendable () async -> CivilDate?
    private let thread = WorkerThread()
    private let stopping: Wake
    /// When the command is due, since boot.
    private let due = Mutex<Duration?>(nil)

    /// A command that was not started yet.
    ///
    /// Descriptors that this process inherited are marked to be closed in programs that it starts: the command may run
    /// as another user.
    ///
    /// - Parameters:
    ///   - command: the command's text, as a shell takes it.
    ///   - account: whose command it is. As root it never runs, because a person who may edit it could run anything.
    ///   - every: how long from one start to the next.
    ///   - limit: how long it may take; as long as from one start to the next, and a minute at most, unless told
    ///     otherwise.
    ///   - environment: the variables of this process. Another account's command gets its own home and name, and of
    ///     the rest what every program needs: `PATH`, `TZ`, `TERM` and the language.
    ///   - clock: tells the time.
    ///   - today: the date, as the goal lock counts days: what is measured belongs to the one on which it was begun.
    /// - Throws: ``ProgressSourceError`` for root's account, and when the process has no descriptor left.
    public init(
        _ command: String,
        of account: SystemAccount,
        every: Duration,
        limit: Duration? = nil,
        environment: [String: String],
        clock: any LockClock,
        today: @escaping @Sendable () async -> CivilDate?
    ) throws(ProgressSourceError) {
        guard !account.isRoot else {
            throw ProgressSourceError(code: .rootCommand, message: "a progress command never runs as root")
        }
        stopping = try .wake()
        self.command = ProgressCommand(
            text: command,
            account: account,
            limit: limit ?? min(every, .seconds(60)),
            environment: environment
        )
        self.every = every
        self.clock = clock
        self.today = today
        Self.keepDescriptorsFromCommands()
    }

    /// Has the descriptors that this process inherited closed in the command, which may run as another user.
    private static func keepDescriptorsFromCommands() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let open = names.isEmpty ? Array(3..<1_024) : names.compactMap { Int32($0) }.filter { $0 > 2 }
        for descriptor in open { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// The readings. Each is made when it is asked for, so that nothing piles up; one task takes them. Once that is
    /// cancelled there are no more, and the command is killed.
    public var readings: AsyncStream<ProgressReading> { stream }

    func next() async -> ProgressReading? {
        if let due = due.withLock({ $0 }) {
            do { try await clock.sleep(until: .sinceBoot(due)) } catch { return nil }
        }
        // A command that takes long is asked again right after it, and no more than once.
        due.withLock { $0 = clock.now.sinceBoot + every }
        // What is measured across midnight belongs to the day on which it was begun.
        let date = await today()
        guard !stopping.isRaised else { return nil }
        do throws(ProgressTrouble) {
            let printed = try await thread.run { [command, clock, stopping] () throws(ProgressTrouble) in
                try command.run(by: clock, until: stopping)
            }
            guard let printed else { return nil }
            return .value(try ProgressNumber.read(printed), measured: date)
        } catch {
            return .trouble(Self.named(error))
        }
    }

    func stop() { stopping.raise() }

    private static func named(_ trouble: ProgressTrouble) -> ProgressTrouble {
        guard trouble.reason == .notANumber else { return trouble }
        return ProgressTrouble(
            reason: .notANumber,
            message: "the progress command's output: \(trouble.message)"
        )
    }
}

extension CommandProgress: ProgressSource {}
#endif
