#if os(Linux)
import AdapterKit
import Glibc
import PortcullisCore
import PortcullisTesting

@testable import ProcessShield

/// A shield over programs that nobody else runs.
struct ShieldBench {
    let scratch: Scratch
    let store: FailingSecretStore<InMemorySecretStore>
    let configuration: ProcessShieldConfiguration
    let shield: ProcessShield
    let chess: String
    let mail: String
    let daily = ShieldName("daily")

    init(
        usesConnector: Bool = true,
        usesOpenings: Bool = true,
        usesGate: Bool = false,
        users: Set<UInt32> = [getuid()],
        policies: [AppToken: StopPolicy] = [:],
        defaultPolicy: StopPolicy = .freeze,
        grace: Duration = .seconds(2)
    ) throws {
        scratch = try Scratch()
        chess = try scratch.copy("/bin/sleep", to: "bin/chess")
        mail = try scratch.copy("/bin/sleep", to: "bin/mail")
        try scratch.copy("/bin/sleep", to: "bin/bash")
        for (name, label, category) in [("chess", "Chess", "Game"), ("mail", "Mail", "Office")] {
            try scratch.write(
                "[Desktop Entry]\nType=Application\nName=\(label)\nExec=\(name) %U\nCategories=\(category);\n",
                to: "applications/\(name).desktop"
            )
        }
        store = FailingSecretStore(InMemorySecretStore())
        configuration = ProcessShieldConfiguration(
            catalogue: DesktopCatalogue(
                folders: ["\(scratch.path)/applications"],
                searchPath: ["\(scratch.path)/bin"]
            ),
            users: users,
            policies: policies,
            defaultPolicy: defaultPolicy,
            grace: grace,
            usesConnector: usesConnector,
            usesOpenings: usesOpenings,
            usesGate: usesGate
        )
        shield = ProcessShield(store: store, configuration: configuration)
    }

    /// A shield over the same record, as the next start has it.
    func next() -> ProcessShield { ProcessShield(store: store, configuration: configuration) }

    func apply(_ tokens: String..., categories: [String] = []) async throws {
        let selection = ShieldSelection(
            apps: Set(tokens.map(AppToken.init)),
            categories: Set(categories.map(CategoryToken.init))
        )
        try await shield.apply(selection, as: daily)
    }
}

extension ProcessStopper {
    /// What one look at the list of processes finds.
    func findings(
        for programs: [Program],
        besides recorded: Set<StoppedProcess> = []
    ) -> Set<StoppedProcess> {
        search(for: programs, besides: recorded).found
    }

    /// Stops processes that nobody lets go on meanwhile.
    func stop(_ processes: Set<StoppedProcess>, of programs: [Program]) async {
        await stop(processes, of: programs, on: WorkerThread()) { true }
    }
}
#endif
