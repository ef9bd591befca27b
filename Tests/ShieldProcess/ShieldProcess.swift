#if os(Linux)
import GcryptKeystore
import Glibc
import PortcullisCore
import ProcessShield

/// Shields in a folder that a test has made, until the test kills it.
///
/// `ShieldProcess ROLE FOLDER`; each line that it writes tells of a call that has returned.
@main
struct ShieldProcess {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { exit(64) }
        if arguments[1] == "stuck" { return startChild(arguments[2]) }
        // It ends with its test, whatever becomes of that.
        endWithParent()
        let folder = arguments[2]
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "\(folder)/store/keystore", credential: .keyFile("\(folder)/key/key"))
        )
        let shield = ProcessShield(
            store: store,
            configuration: ProcessShieldConfiguration(
                catalogue: DesktopCatalogue(
                    folders: ["\(folder)/applications"],
                    searchPath: ["\(folder)/bin"]
                ),
                users: [getuid()],
                usesGate: arguments[1] != "churn"
            )
        )
        switch arguments[1] {
        case "churn": try await churn(shield)
        case "gate": try await hold(shield, folder)
        case "child": try await holdWithChild(shield, folder)
        default: exit(64)
        }
    }

    private static let chess = ShieldSelection(apps: [AppToken("chess.desktop")])

    /// Mail is shut for good; chess is shut and let go on for as long as this lives.
    private static func churn(_ shield: ProcessShield) async throws {
        try await shield.apply(ShieldSelection(apps: [AppToken("mail.desktop")]), as: ShieldName("always"))
        say("always")
        while true {
            try await shield.apply(chess, as: ShieldName("daily"))
            say("up")
            try await shield.clear(ShieldName("daily"))
            say("down")
        }
    }

    private static func hold(_ shield: ProcessShield, _ folder: String) async throws {
        try await shield.apply(chess, as: ShieldName("daily"))
        say("up")
        while true { try await Task.sleep(for: .seconds(60)) }
    }

    /// With a child that stays where every child is for a moment: it has our descriptors and has not started its
    /// program. Opening a named pipe that nobody writes to is what keeps it there.
    private static func holdWithChild(_ shield: ProcessShield, _ folder: String) async throws {
        try await shield.apply(chess, as: ShieldName("daily"))
        Threads.start { startChild(folder) }
        say("up")
        while true { try await Task.sleep(for: .seconds(60)) }
    }

    /// Starts a child that waits for a writer of the pipe before it runs its program. Until then no signal stops the
    /// calling thread, because it waits for its child (vfork(2)).
    private static func startChild(_ folder: String) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "\(folder)/pipe", O_RDONLY, 0)
        var pid: pid_t = 0
        var arguments = unsafe [unsafe strdup("/bin/true"), nil]
        _ = unsafe posix_spawn(&pid, "/bin/true", &actions, nil, &arguments, environ)
    }

    private static func say(_ word: String) {
        let line = Array("\(word)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, line, line.count)
    }

    /// A test that crashes leaves nobody behind: whoever is adopted was left.
    private static func endWithParent() {
        let parent = getppid()
        Threads.start {
            while getppid() == parent { Threads.sleep(microseconds: 200_000) }
            exit(1)
        }
    }
}
#else
@main
struct ShieldProcess {
    static func main() {}
}
#endif
