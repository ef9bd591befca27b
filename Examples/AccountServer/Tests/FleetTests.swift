import ExampleSupport
import Foundation
import Testing

/// Runs the fleet's commands as a person does, in a form that is short enough for each change of the code.
@Suite("A fleet on this machine (F-3, F-4)", .serialized, .timeLimit(.minutes(10)))
struct FleetTests {
    private static func has(_ programs: String...) -> Bool {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let missing = programs.filter { program in
            !places.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
        if !missing.isEmpty {
            let what =
                "NOT TESTED: the fleet, because \(missing.joined(separator: ", ")) are not installed (make etcd)\n"
            FileHandle.standardError.write(Data(what.utf8))
        }
        return missing.isEmpty
    }

    private static let isPossible = has("etcd", "etcdctl", "haproxy", "python3")

    private func run(_ command: String, _ arguments: [String]) async throws -> (status: Int32, output: String)
    {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = folder.appending(path: command)
        process.arguments = arguments + ["--program", try built("account-server").path]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        process.standardInput = FileHandle.nullDevice
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { continuation.yield($0.terminationStatus) }
        try process.run()
        let reading = Task.detached { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        let status = await ends.first { _ in true } ?? -1
        return (status, String(decoding: try await reading.value, as: UTF8.self))
    }

    @Test(
        "F-3: one count holds for three servers, also when a server and the leader are killed and a server is drained",
        .enabled(if: isPossible, "etcd or haproxy is not installed")
    )
    func fleet() async throws {
        let (status, output) = try await run("fleet", [])
        #expect(status == 0, "\(output)")
        #expect(output.contains("wrong passcode number 4: the fleet counts 4"))
    }

    @Test(
        "F-2: each failure of the cluster is answered by the deadline, logged and counted, and over with its cause",
        .enabled(if: isPossible && has("openssl"), "etcd or openssl is not installed"),
        arguments: ["plain", "password", "certificates"]
    )
    func failures(_ kind: String) async throws {
        let (status, output) = try await run("failures", ["--only", kind])
        #expect(status == 0, "\(output)")
        #expect(output.contains(" lines in the log, counted "))
    }

    @Test(
        "F-4: half a minute of faults loses no write, shows no stale read, counts every try and uses no code twice",
        .enabled(if: isPossible, "etcd or haproxy is not installed")
    )
    func faults() async throws {
        let check = try built("fleet-check").path
        let (status, output) = try await run("faults", ["--minutes", "0.5", "--seed", "1", "--check", check])
        #expect(status == 0, "\(output)")
        #expect(output.contains(": 0 wrong"))
    }
}
