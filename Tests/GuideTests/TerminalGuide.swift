import CLinux
import Glibc
import PasscodeLock
import PortcullisCore
import PortcullisTesting
public import SealedSession
import SystemClock
public import TerminalHost
import TerminalScreens
import Testing

extension SessionSeal: GuardSeal {}

/// The code of the page about terminals, as it shows it.
@Suite("Guides: a terminal", .timeLimit(.minutes(5)))
struct TerminalGuide {
    /// A terminal that no person looks at.
    private final class Screen {
        let master: Int32
        private let slave: Int32

        init() {
            var path = [CChar](repeating: 0, count: 128)
            master = unsafe clinux_open_pseudo_terminal(&path, path.count)
            let place = unsafe path.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
            slave = unsafe open(place, O_RDWR | O_NOCTTY | O_CLOEXEC)
        }

        deinit {
            close(slave)
            close(master)
        }

        var terminal: Terminal { Terminal(input: slave, output: slave) }
    }

    @Test("P-20: a program behind a lock, in few lines")
    func program() async throws {
        let screen = Screen()
        let terminal = screen.terminal
        let (store, sealer) = (InMemorySecretStore(), FastPasscodeSealer())
        let command = ["sh", "-c", "exit 7"]
        try await setPasscode(in: store, sealer)

        let clock = SystemClock()
        let program = GuardedProgram(command, clock: clock)
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: sealer, clock: clock),
            session: program,
            configuration: PasscodeConfiguration(appName: "Notes", idleTimeout: .seconds(600))
        )
        let run = try GuardedRun(
            program,
            behind: service,
            on: terminal,
            options: GuardOptions(lockKey: .standard, timeout: .after(.seconds(900))),
            texts: GuardTexts(name: "Notes")
        )
        let ending = try await run.run()

        #expect(ending == GuardEnding(status: 7))
        #expect(try await service.status().timeout == .after(.seconds(900)))
    }

    private func setPasscode(in store: InMemorySecretStore, _ sealer: FastPasscodeSealer) async throws {
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: sealer, clock: SystemClock()),
            session: InMemorySession(),
            configuration: PasscodeConfiguration(appName: "Notes")
        )
        _ = try await service.set(SecretBytes(copying: "835291".utf8))
    }

    @Test("pictures on the whole terminal")
    @MainActor
    func pictures() async throws {
        let screen = Screen()
        let (terminal, clock) = (screen.terminal, SystemClock())
        let picture = Blank()
        let stage = try ScreenStage(on: terminal, title: "Notes", clock: clock)
        picture.finish = { stage.close() }
        let ending = try await stage.run {
            stage.show(picture)
        }
        #expect(ending == .closed)
    }

    /// A picture with nothing on it.
    @MainActor
    private final class Blank: StageLayer {
        var size = TerminalSize(columns: 80, rows: 24)
        var finish: () -> Void = {}

        func handle(_ event: TerminalEvent) {}
        func refresh() -> FaceChange { .picture }
        func painting(shake: Int) -> Painting {
            finish()
            return Painting(canvas: Canvas(size: size))
        }
        func watch(_ isWatched: Bool) {}
        func dismiss() {}
    }
}
