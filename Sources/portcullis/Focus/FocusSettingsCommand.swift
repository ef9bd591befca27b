#if os(Linux)
internal import ArgumentParser
internal import GoalLock
internal import PasscodeLock
internal import PortcullisCore
internal import ProcessShield
internal import Synchronization
internal import TerminalHost

extension FocusCommand {
    /// `portcullis focus settings`: shows the goal lock's settings on screens.
    struct Settings: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "settings",
            abstract: "Choose on screens what is shut, and switch App Lock on or off.",
            discussion: """
                What you choose is kept: `portcullis focus run` without --app and --category shuts it. The lock \
                counts nothing by itself; as long as it is on and no run tells it of your progress, the chosen apps \
                stay shut.

                Switching the lock off and taking back what was chosen ask for the passcode, where one is set. \
                Ctrl-C leaves everything as it is by then.
                """
        )

        @OptionGroup var options: FocusOptions

        func run() async throws {
            let terminal = Terminal()
            guard terminal.isTerminal, !terminal.isDumb else {
                let fault =
                    terminal.isTerminal
                    ? "focus settings cannot draw on this terminal (TERM=dumb)"
                    : "focus settings needs a terminal"
                throw ToolFailure("\(fault); elsewhere name apps with `portcullis focus run --app`", .usage)
            }
            let notifications = Notifications()
            let parts = try await FocusBackends(
                options,
                credential: try await options.store.credential(createsIfMissing: true),
                createsIfMissing: true,
                // The shield's gate denies the start of apps only while this process runs, and this process
                // ends soon.
                usesGate: false,
                notifications: notifications.note
            )
            // The service stops apps until the screens close. A forced release ends this process if the store
            // takes no release.
            let presence = WatchPresence(store: try options.store.path())
            let service = try await parts.serviceForScreens()
            // The goal gate does not ask for the passcode, because the settings screen asks for it.
            let gate = GoalGate(service, user: options.userID) { _, _ in }
            // An error is ignored here, because the settings screen shows it.
            _ = try? await service.launch()
            let (clock, title) = (parts.clock, "Portcullis")
            let screens = try await GoalSettingsStage(service, title: title, clock: clock, gate: gate) {
                try PasscodeGate(parts.backends, user: await gate.guardian()).service
            }
            let ending = try await screens.run()
            for line in notifications.lines { StandardError.write(partial: line) }
            await Self.tellWhatNext(service)
            _ = consume presence
            switch ending {
            case .closed: break
            case .interrupted: throw ExitCode(ToolExit.interrupted.rawValue)
            case .signal(let number): throw ExitCode(128 + number)
            }
        }

        private static func tellWhatNext(_ service: GoalLockService) async {
            guard let status = try? await service.status(), status.isEnabled else { return }
            StandardError.write(
                status.selection.isEmpty
                    ? "portcullis: App Lock is on, but nothing is chosen yet."
                    : "portcullis: App Lock is on. `portcullis focus run` counts your progress and opens the apps."
            )
        }
    }
}

/// Collects the notifications that arrive while the screens are shown.
private final class Notifications: Sendable {
    private let noted = Mutex<[String]>([])

    var lines: [String] { noted.withLock(\.self) }

    func note(_ line: [UInt8]) { noted.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
}
#endif
