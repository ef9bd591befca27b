#if os(Linux)
internal import AdapterKit
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Progress as a command prints it, asked for at once and then every so often.
final class CommandProgress: ProgressSource {
    private let command: ProgressCommand
    private let every: Duration
    private let clock: any LockClock
    private let today: @Sendable () async -> CivilDate?
    private let thread = WorkerThread()
    private let stopping: Wake
    /// When the command is due, since boot.
    private let due = Mutex<Duration?>(nil)

    /// - Parameters:
    ///   - command: what prints the number.
    ///   - every: how long from one start to the next.
    ///   - clock: tells the time.
    ///   - today: the date, as the lock counts days.
    /// - Throws: `SystemCallError` when the process has no descriptor left.
    init(
        _ command: ProgressCommand,
        every: Duration,
        clock: any LockClock,
        today: @escaping @Sendable () async -> CivilDate?
    ) throws(SystemCallError) {
        stopping = try Wake()
        self.command = command
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
#endif
