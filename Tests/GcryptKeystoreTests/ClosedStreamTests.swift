#if os(Linux)
import Foundation
import LinuxSystem
import PortcullisCore
import Testing

@testable import GcryptKeystore

/// Stores in a process of an app that was started without its standard streams.
@Suite("A keystore without standard streams", .timeLimit(.minutes(5)))
struct ClosedStreamTests {
    @Test("K-10: what the app writes to a closed stream does not get into a file of its store")
    func embedded() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            var configuration = scratch.configuration
            configuration.anchorPath = scratch.path + "/anchor"
            for stream: Int32 in 0...2 { close(stream) }
            func print() throws {
                for stream: Int32 in 0...2 {
                    Descriptors.write(Array("a text of the app".utf8), to: stream)
                    let link = "/proc/self/fd/\(stream)"
                    let file = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
                    #expect(file?.hasPrefix(scratch.path) != true && file?.contains("inotify") != true)
                }
            }
            let store = try await GcryptKeystore.open(configuration)
            let changes = store.changes(in: try SecretNamespace("tests"))
            try print()
            try await store.put("v", "item")
            try print()
            try await store.compact()
            try print()
            #expect(try await store.get("item") == "v")
            await store.close()
            let report = try await GcryptKeystore.check(configuration)
            #expect(report.damage.isEmpty && report.items == 1)
            for file in try FileManager.default.contentsOfDirectory(atPath: scratch.path) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(scratch.path)/\(file)"))
                #expect(bytes.range(of: Data("a text of the app".utf8)) == nil, "\(file)")
            }
            withExtendedLifetime(changes) {}
        }
    }

    @Test("K-10: every way to open a file gives a number above those of the standard streams")
    func numbers() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            for stream: Int32 in 0...2 { close(stream) }
            let files = POSIXFiles()
            for (name, mode) in [
                ("new", OpenMode.createNew), ("kept", .createIfMissing), ("new", .read), ("kept", .readWrite),
            ] {
                let file = try files.open("\(scratch.path)/\(name)", mode)
                #expect(file > 2 && fcntl(file, F_GETFD) == FD_CLOEXEC)
                files.close(file)
            }
        }
    }
}
#endif
