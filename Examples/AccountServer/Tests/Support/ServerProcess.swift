import ExampleSupport
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The built server as a process of its own, on a free port.
final class ServerProcess: Sendable {
    private struct State {
        var out = ""
        var log = ""
    }

    private let process: Process
    private let state: Mutex<State>

    /// Makes a folder with the accounts of the tests. A server may also put its store there.
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "account-server-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let accounts = """
            [{"id":"anna","role":"staff","email":"anna@example.com"},
             {"id":"carl","role":"customer","email":"carl@example.com"}]
            """
        try Data(accounts.utf8).write(to: folder.appending(path: "accounts.json"))
        return folder
    }

    /// Starts the server in a folder of ``makeFolder()``.
    ///
    /// - Parameter descriptors: how many files the server may have open at its start; `nil` for as many as
    ///   the tests.
    init(in folder: URL, _ arguments: [String] = [], descriptors: Int? = nil) throws {
        let process = Process()
        let program = try built("account-server")
        process.executableURL = descriptors == nil ? program : URL(filePath: "/bin/sh")
        let limiting = descriptors.map {
            ["-c", #"ulimit -S -n "$0" && exec "$@""#, "\($0)", program.path]
        }
        process.arguments =
            (limiting ?? []) + ["--accounts", folder.appending(path: "accounts.json").path, "--port", "0"]
            + (arguments.contains("--in-memory") ? [] : ["--store", folder.appending(path: "store").path])
            + arguments
        let (out, log) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (out, log)
        self.process = process
        state = Mutex(State())
        out.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.state.withLock { $0.out += String(decoding: data, as: UTF8.self) }
        }
        log.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.state.withLock { $0.log += String(decoding: data, as: UTF8.self) }
        }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The server's log so far.
    var log: String { state.withLock { $0.log } }

    /// Waits until the server listens, and returns a client of it.
    func client() async throws -> APIClient {
        while true {
            if let match = log.firstMatch(of: #/"address":"http://127.0.0.1:(\d+)"/#), let port = Int(match.1)
            {
                return try await APIClient(port: port)
            }
            guard process.isRunning else { throw ProcessEnded(log: log) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits for the mail after the first `count` mails, and returns its code.
    func code(after count: Int) async throws -> String {
        while true {
            let codes = state.withLock { $0.out.matches(of: #/(\d{6}) is your code/#).map { String($0.1) } }
            if codes.count > count { return codes[count] }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    var mails: Int { state.withLock { $0.out.matches(of: #/\d{6} is your code/#).count } }

    /// How many files the server may have open, as the system reports.
    func descriptorLimit() throws -> (soft: UInt, hard: UInt)? {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
        let match = text.firstMatch(of: #/Max open files +(\d+) +(\d+)/#)
        guard let match, let soft = UInt(match.1), let hard = UInt(match.2) else { return nil }
        return (soft, hard)
    }

    var number: Int32 { process.processIdentifier }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end of the process.
    func status() async throws -> (code: Int32, wasSignalled: Bool) {
        while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        return (process.terminationStatus, process.terminationReason == .uncaughtSignal)
    }
}

/// The server ended before it listened.
struct ProcessEnded: Error { var log: String }
