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

/// Progress that a shell command prints. The command runs at once, and then at regular intervals.
///
/// The command runs as `/bin/sh -c`, in a session of its own, without input and without a terminal. If the
/// command takes longer than its limit, or prints more than 64 KiB, its whole process group is killed. When
/// this process ends in any way, the group is killed, too. The command's output must be one number, such as
/// `7450`, `0.5` or `1e3`.
///
/// A command that has become a process of another user, for instance through `sudo`, cannot be killed. In
/// that case the reading fails, and the command starts again only after that process has ended.
public final class CommandProgress: Sendable {
    private let command: ProgressCommand
    private let every: Duration
    private let clock: any LockClock
    private let today: @Sendable () async throws -> CivilDate?
    private let thread = WorkerThread()
    private let stopping: Wake
    /// The time since boot at which the command is due; `nil` before the first run.
    private let due = Mutex<Duration?>(nil)

    /// Makes a source whose command has not run yet.
    ///
    /// The call marks all open descriptors except the three standard ones, so that the system closes them in
    /// programs that this process starts. The command may run as another user, who must not get the
    /// descriptors.
    ///
    /// - Parameters:
    ///   - command: the text of the command, for a shell.
    ///   - account: the account that the command belongs to. It must not be root, because a person who may
    ///     edit the command could run anything as root.
    ///   - every: the time from one start to the next.
    ///   - limit: the longest time for one run; by default the shorter of `every` and one minute.
    ///   - environment: the environment variables of this process. A command of another account gets that
    ///     account's home and name. Of the other variables it gets only those that every program needs:
    ///     `PATH`, `TZ`, `TERM` and the language.
    ///   - clock: the clock that measures `every` and `limit`.
    ///   - today: returns today's date by the goal lock's rule for the start of a day. A reading belongs to
    ///     the date on which its run began. If the closure throws, the command does not run, and the source
    ///     reports trouble.
    /// - Throws: ``ProgressSourceError`` for root's account, and if the process has no descriptor left.
    public init(
        _ command: String,
        of account: SystemAccount,
        every: Duration,
        limit: Duration? = nil,
        environment: [String: String],
        clock: any LockClock,
        today: @escaping @Sendable () async throws -> CivilDate?
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

    /// Marks the descriptors of this process, so that the system closes them in the command. The command may
    /// run as another user.
    private static func keepDescriptorsFromCommands() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let open = names.isEmpty ? Array(3..<1_024) : names.compactMap { Int32($0) }.filter { $0 > 2 }
        for descriptor in open { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// The stream of readings. Only one task may read it. Each reading is made only when the task asks for
    /// it, so readings do not pile up. When the task is cancelled, the command is killed, and there are no
    /// more readings.
    public var readings: AsyncStream<ProgressReading> { stream }

    func next() async -> ProgressReading? {
        if let due = due.withLock({ $0 }) {
            do { try await clock.sleep(until: .sinceBoot(due)) } catch { return nil }
        }
        // After a run that takes longer than the interval, the next run starts at once. The runs that were
        // due during the long run are skipped.
        due.withLock { $0 = clock.now.sinceBoot + every }
        // A run across midnight belongs to the day on which it began.
        let date: CivilDate?
        do {
            date = try await today()
        } catch {
            return stopping.isRaised ? nil : .trouble(.unknownDate(of: "the progress command", error))
        }
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
