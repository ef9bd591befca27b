#if os(Linux)
internal import Glibc
public import PortcullisCore

/// What a forced release has done.
public struct ForcedRelease: Sendable {
    /// Why the record could not be read or emptied; `nil`: it holds no shield any more.
    public internal(set) var recordError: ShieldError?
    /// The processes that were told to go on.
    public internal(set) var continued: Set<Int32> = []
    /// The control groups that were thawed.
    public internal(set) var thawed: Set<String> = []
    /// Stopped processes that were left so: jobs of a terminal's shell, which their person can let go on with `fg`.
    public internal(set) var left: Set<Int32> = []
    /// Processes that are stopped all the same.
    public internal(set) var failed: Set<Int32> = []
}

extension ProcessShield {
    /// Lets everything go on that a shield has stopped, without anybody's help: the last way out.
    ///
    /// Where the record can be read, exactly what is recorded goes on, and then the record is emptied. Processes that
    /// look after the shields follow that, as ``ProcessShield`` tells.
    ///
    /// Where it cannot, nobody knows what a shield has stopped. Then, for the users of the configuration,
    /// - frozen control groups of apps (`app-….scope`, `app-….service`) are thawed, and
    /// - stopped processes are told to go on, except those in a session of a terminal that has a shell in it: they may
    ///   be jobs that a person stopped by hand. What a shield stopped among those is one `fg` away. A process that
    ///   somebody stopped by hand and without a terminal goes on too. Processes under a debugger are left alone.
    ///
    /// The record then stays as it is, and a process that looks after the shields still denies starts until it ends.
    ///
    /// - Parameters:
    ///   - store: the store with the record; `nil`: it cannot even be opened.
    ///   - configuration: whose processes, and where.
    /// - Returns: what was done, for the log. A release never throws: it does as much as it can.
    public static func releaseByForce(
        store: (any SecretStore)?,
        configuration: ProcessShieldConfiguration
    ) async -> ForcedRelease {
        let stopper = ProcessStopper(configuration)
        let thread = WorkerThread()
        guard let store else {
            let error = ShieldError(code: .stateUnreadable, message: "the store of the record was not opened")
            return await thread.run { () throws(Never) in stopper.releaseAll(because: error) }
        }
        let records = ShieldRecordStore(store: store, configuration: configuration)
        let recorded: Set<StoppedProcess>
        do throws(ShieldError) {
            // Shields first: who looks after them must not stop again what goes on.
            recorded = try await records.change { $0.shields = [:] }.stopped
        } catch {
            let known = try? await records.read().record.stopped
            // It can be read and not written, as on a full disk: then it is known all the same what to let go on.
            return await thread.run { () throws(Never) in
                known.map { stopper.release($0, because: error) } ?? stopper.releaseAll(because: error)
            }
        }
        var release = await thread.run { () throws(Never) in stopper.release(recorded, because: nil) }
        do throws(ShieldError) { _ = try await records.change { $0.stopped.subtract(recorded) } } catch {
            release.recordError = error
        }
        return release
    }
}

extension ProcessStopper {
    /// Lets go on what is recorded.
    fileprivate func release(_ recorded: Set<StoppedProcess>, because error: ShieldError?) -> ForcedRelease {
        var release = ForcedRelease(recordError: error)
        let before = stopped()
        release.thawed = Set(recorded.compactMap(\.scope)).filter(controlGroups.isFrozen)
        resume(recorded)
        let meant = Set(recorded.map(\.identity))
        look(for: before, meant: before.filter { meant.contains($0.identity) }, into: &release)
        return release
    }

    /// Lets go on whatever a shield may have stopped.
    fileprivate func releaseAll(because error: ShieldError) -> ForcedRelease {
        var release = ForcedRelease(recordError: error)
        let before = stopped()
        let (jobs, others) = split(before)
        for user in rules.users {
            for group in controlGroups.frozenApps(below: "/user.slice/user-\(user).slice")
            where controlGroups.setFrozen(false, group) {
                release.thawed.insert(group)
            }
        }
        resume(Set(others.map { StoppedProcess(identity: $0.identity) }))
        look(for: before, meant: others, into: &release)
        release.left = Set(jobs.map(\.pid)).subtracting(release.continued)
        return release
    }

    private func stopped() -> [RunningProcess] {
        table.all().values.filter { $0.state == "T" && rules.users.contains($0.user) }
    }

    /// Notes what has become of those that were stopped.
    private func look(
        for before: [RunningProcess],
        meant: [RunningProcess],
        into release: inout ForcedRelease
    ) {
        let isStopped = { (process: RunningProcess) in
            table.process(process.pid).map { $0.identity == process.identity && $0.state == "T" } ?? false
        }
        // A signal takes a moment to be seen.
        for _ in 0..<50 where meant.contains(where: isStopped) { Threads.sleep(microseconds: 2_000) }
        release.failed = Set(meant.filter(isStopped).map(\.pid))
        release.continued = Set(before.filter { !isStopped($0) }.map(\.pid))
    }

    /// Stopped processes: those that are jobs of a terminal's shell, and the others.
    private func split(_ stopped: [RunningProcess]) -> (jobs: [RunningProcess], others: [RunningProcess]) {
        let shells = table.all().values.filter { process in
            process.terminal != 0
                && process.executablePath.map { ProtectedPrograms.reason(for: $0) == "it is a shell" } == true
        }
        let sessions = Set(shells.map(\.session))
        let isJob = { (process: RunningProcess) in process.terminal != 0 && sessions.contains(process.session)
        }
        return (stopped.filter(isJob), stopped.filter { !isJob($0) })
    }
}
#endif
