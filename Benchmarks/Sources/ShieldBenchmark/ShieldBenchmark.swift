import ArgumentParser
import Foundation
import GcryptKeystore
import PortcullisCore
import ProcessShield

/// Times the shield on programs of its own: copies of small system programs in a folder that it removes.
@main
struct ShieldBenchmark: AsyncParsableCommand {
    @Flag(help: "Deny starts, which takes CAP_SYS_ADMIN.") var gate = false
    @Option(help: "How starts are seen without the gate: connector or inotify.") var watch = "connector"
    @Option(help: "How often each thing is tried.") var tries = 200
    @Option(help: "How many seconds the idle shield is watched.") var idle = 10

    mutating func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shield-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func copy(_ program: String, _ name: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            let source = URL(fileURLWithPath: program).resolvingSymlinksInPath()
            try FileManager.default.copyItem(at: source, to: file)
            return file.path
        }
        let programs = Programs(
            shielded: try copy("/bin/sleep", "chess"),
            toucher: try copy("/bin/touch", "toucher"),
            other: try copy("/bin/true", "other"),
            marks: folder.path
        )
        // The real store: what is stopped is on disk before it is stopped.
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: folder.appendingPathComponent("store").path,
                credential: .keyFile(folder.appendingPathComponent("key").path)
            )
        )
        let shield = ProcessShield(
            store: store,
            configuration: ProcessShieldConfiguration(
                catalogue: DesktopCatalogue(folders: [], searchPath: []),
                users: [getuid()],
                usesConnector: watch == "connector",
                usesGate: gate
            )
        )
        let measuring = Measuring(shield: shield, programs: programs, tries: tries)
        if gate {
            try await measuring.running(as: "root")
            try await measuring.denied()
            try await measuring.unrelated()
            try await measuring.idle(seconds: idle, as: "root, gate and connector")
        } else {
            try await measuring.running(as: "user, \(watch)")
            try await measuring.started(as: "user, \(watch)")
            try await measuring.idle(seconds: idle, as: "user, \(watch)")
        }
        await store.close()
    }
}
