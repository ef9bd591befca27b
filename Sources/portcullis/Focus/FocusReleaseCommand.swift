#if os(Linux)
internal import AdapterKit
internal import ArgumentParser
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources
internal import SystemClock
internal import TerminalScreens

extension FocusCommand {
    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "release",
            abstract: "Switch App Lock off: everything goes on where it was.",
            discussion: """
                Asks for the passcode when one is set (`portcullis passcode set`), at a hidden prompt or as a line \
                of standard input: exit status 1 when it is wrong, 5 while none is tried. Runs that watch \
                notice and end. What was chosen stays for the next time.

                --force needs neither the passcode nor a store that can be read. The machine's root is obeyed at once; \
                anybody else waits for an hour first, at the terminal, and Ctrl-C ends the wait with nothing done. Where \
                the store cannot be read, or does not answer within three times --busy-timeout and ten seconds, it is not \
                known what was stopped: then every stopped program of yours, or of --account, goes on, except jobs that a \
                shell has stopped, and runs that watch are ended. App Lock itself stays on in such a store. A forced \
                release is told on standard error and shown by `portcullis focus status`.

                An account that root names may have App Lock in a store of its own, which root does not open. By force its runs \
                are ended, too, and its programs go on; only that account switches it off.
                """
        )

        @OptionGroup var options: FocusOptions
        @Flag(help: "Without the passcode, after an hour (root: at once), also when the store is damaged.")
        var force = false

        func run() async throws {
            let person = try options.person()
            if force { return try await releaseByForce(of: person) }
            let credential = try await options.store.credential()
            let parts: FocusBackends
            do {
                parts = try await FocusBackends(ofExisting: options, credential: credential)
            } catch let error as SecretStoreError where error.code == .missingStore {
                guard person.isCurrent else {
                    throw ToolFailure(
                        "there is no store here. \(Self.ownStore(of: person)); root's `portcullis focus release "
                            + "--force --account \(person.name)` ends its runs and lets its programs go on",
                        .no
                    )
                }
                return try StandardOutput.write(line: Self.neverSet)
            } catch let error as SecretStoreError {
                guard var failure = ToolFailure(error as any Error) else { throw error }
                failure.message += " (`portcullis focus release --force` works without the store)"
                throw failure
            }
            let backends = parts.backends
            let gate = GoalGate(try parts.service(), user: options.userID) { guardian, _ in
                try await PasscodeGate(backends, user: guardian).pass()
            }
            try await gate.release()
            try tellOff(person)
            let report = try await parts.shield.report()
            if report.stopped > 0 { StandardError.write("portcullis: still stopped: \(report.stopped)") }
            let elsewhere = report.stoppedElsewhere
            if elsewhere > 0 {
                StandardError.write("portcullis: stopped in another container: \(elsewhere); release there")
            }
        }

        /// Tells that the lock is off in the store. An account that root names may have another store.
        private func tellOff(_ person: SystemAccount) throws {
            let place = person.isCurrent ? "" : " in \(ForeignText.line(try options.store.path()))"
            try StandardOutput.write(line: "App Lock is off\(place): what was shut goes on.")
            if !person.isCurrent { StandardError.write("portcullis: \(Self.ownStore(of: person))") }
        }

        private static func ownStore(of person: SystemAccount) -> String {
            "App Lock in a store of \(person.name)'s own is switched off by that account's `portcullis focus release`"
        }

        private static let neverSet =
            "App Lock was never set: there is no store. Should a program be stopped all the same, "
            + "`portcullis focus release --force` lets it go on."

        // MARK: By force

        private func releaseByForce(of person: SystemAccount) async throws {
            let clock = SystemClock()
            if !SystemAccount.isMachineRoot { try await Self.wait(clock) }
            // The store's file system may not answer, so each call that uses the store has a limit.
            let limit = (options.store.lockTimeout ?? options.store.busyTimeout).duration * 3 + .seconds(10)
            let (parts, shuts, failure) = await openAnyway(person, clock, limit)
            let shield = FocusBackends.shieldConfiguration(of: person)
            // Root cannot open the store of another account's own runs, so it does not know what they stopped,
            // also where they have ended.
            let ownRuns = await person.isCurrent ? [] : WatchPresence.watchers(ofUser: person.id)
            let release = { [store = ownRuns.isEmpty && shuts ? parts?.keystore : nil] in
                await ProcessShield.releaseByForce(
                    store: store,
                    configuration: shield,
                    within: limit,
                    by: clock
                )
            }
            var left: Set<Int32>? = []
            var done = await release()
            // The programs are continued before the calls below, because these calls may wait for a file
            // system or a process that does not answer.
            var problem = failure
            do { try await parts?.service().release(within: .seconds(10)) } catch { problem = error.message }
            // Without the store that shuts nothing there is no record.
            if problem != nil || !ownRuns.isEmpty || (shuts && done.recordError != nil) {
                left = await endWatchers(of: person, by: clock)
                done = await release()
            }
            let isOff = problem == nil && ownRuns.isEmpty
            let note = ForcedReleaseNote(wall: clock.now.wall, user: SystemAccount.current.id)
            let by = SystemAccount.isMachineRoot ? "root" : ForeignText.line(person.name)
            StandardError.write("portcullis: App Lock was released by force, by \(by)")
            do {
                if let parts { try await note.note(in: parts.keystore, within: limit, by: clock) }
            } catch {
                problem = problem ?? "the release cannot be noted: \(error.message)"
            }
            if let problem { StandardError.write("portcullis: the store was no help: \(problem)") }
            for process in done.failed.sorted() {
                StandardError.write("portcullis: process \(process) is still stopped")
            }
            let runs = left?.sorted().map { "process \($0) still watches" } ?? ["perhaps a process watches"]
            for run in runs { StandardError.write("portcullis: \(run) and may shut apps again") }
            if !done.left.isEmpty {
                StandardError.write(
                    "portcullis: jobs of a shell were left stopped; `fg` or `kill -CONT` lets them go on: "
                        + done.left.sorted().map(String.init).joined(separator: " ")
                )
            }
            if left != [] { throw ToolExit.refused }
            if isOff {
                try tellOff(person)
            } else {
                let way = person.isCurrent ? "" : ". \(Self.ownStore(of: person))"
                let text = "what was stopped goes on; App Lock was not switched off\(way)"
                // A lock that cannot be read is released all the same. This one can, by its account.
                guard ownRuns.isEmpty else { throw ToolFailure(text, .refused) }
                StandardError.write("portcullis: \(text)")
            }
            if !done.failed.isEmpty { throw ToolExit.refused }
        }

        /// Ends every `focus run` and `focus settings` on this store, and those of another account. They learn
        /// of a release only from the store. If the store does not take the release, they would stop the
        /// programs again. Returns the process ids of those that remain; `nil` if they are unknown, because
        /// the file system of the store does not answer.
        private func endWatchers(of person: SystemAccount, by clock: SystemClock) async -> Set<Int32>? {
            let own = await person.isCurrent ? [] : WatchPresence.endAll(ofUser: person.id)
            guard let path = try? options.store.path() else { return own }
            return await WatchPresence.endAll(store: path, by: clock)?.union(own)
        }

        /// Opens the store, and says whether it shuts apps of another account that root names.
        private func openAnyway(
            _ person: SystemAccount,
            _ clock: SystemClock,
            _ limit: Duration
        ) async -> (FocusBackends?, shuts: Bool, String?) {
            do {
                // A person may be typing the passphrase, so its input has no limit.
                let typed = try await options.store.passphraseFile == nil ? nil : options.store.credential()
                let opened = try await clock.answer(within: limit) { [options] () async throws in
                    let credential = if let typed { typed } else { try await options.store.credential() }
                    let parts = try await FocusBackends(ofExisting: options, credential: credential)
                    let isOn = person.isCurrent ? nil : try? await parts.service().status().isShielded
                    return (parts, isOn ?? true)
                }
                return (opened?.0, opened?.1 ?? true, opened == nil ? "it does not answer" : nil)
            } catch {
                return (nil, true, ToolFailure(error)?.message ?? "\(error)")
            }
        }

        /// Counts the delay down on standard error. A signal ends the process, and nothing is released.
        private static func wait(_ clock: any LockClock) async throws {
            let isTerminal = StandardError.isTerminal
            var isFirst = true
            try await ForcedDelay().wait(by: clock) { left in
                // The minutes are rounded up, so that the count begins with one hour.
                let minutes = (left - .nanoseconds(1)).components.seconds / 60 + 1
                let text =
                    "App Lock is released by force in \(GoalText.left(.seconds(minutes * 60))). "
                    + "Ctrl-C: leave it on."
                if isTerminal {
                    StandardError.write(partial: "\r\u{1B}[K\(text)")
                } else if isFirst {
                    StandardError.write(text)
                }
                isFirst = false
            }
            if isTerminal { StandardError.write(partial: "\r\u{1B}[K") }
        }
    }
}
#endif
