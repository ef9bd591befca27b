#if os(Linux)
internal import ArgumentParser
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import SystemClock
internal import TerminalHost
internal import TerminalScreens

extension FocusCommand {
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Tell how App Lock stands: progress, what is shut, who watches.",
            discussion: """
                It only looks: nothing is stopped, opened or written. The exit status is 0 whether the lock is on \
                or off; --json gives enabled, date, title, progress, goal, unlocked, reason, shut, apps, \
                categories, untilNextDay, stopped (processes), watched (whether a process watches) and forcedRelease \
                (time, user).

                An app is gated when it cannot be started, reactive when it is stopped right after, unresolved \
                when nothing here has its name, and refused when it is never shut.
                """
        )

        @OptionGroup var options: FocusOptions
        @Flag(help: "Answer in JSON.")
        var json = false

        func run() async throws {
            let credential = try await options.store.credential()
            let answer: FocusStanding
            do {
                let parts = try await FocusBackends(ofExisting: options, credential: credential)
                let path = try options.store.path()
                answer = try await FocusStanding(parts, isWatched: WatchPresence.isThere(store: path))
            } catch let error as SecretStoreError where error.code == .missingStore {
                // If there is no store, the lock was never set.
                answer = .off
            }
            if json { return try StandardOutput.write(json: answer.report) }
            let terminal = Terminal()
            var abilities = terminal.abilities
            if !StandardOutput.isTerminal { abilities.colours = false }
            for line in answer.lines(width: terminal.size.columns, abilities: abilities) {
                try StandardOutput.write(line: line)
            }
        }
    }
}
#endif
