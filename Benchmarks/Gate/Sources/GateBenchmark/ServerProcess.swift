internal import Foundation

/// A server in a process of its own.
final class ServerProcess {
    private let process = Process()
    let port: Int

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["serve"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1),
            !byte.isEmpty
        {
            line += String(decoding: byte, as: UTF8.self)
        }
        guard let port = Int(line.dropLast()) else {
            throw Connection.Failed(what: "the server did not start")
        }
        self.port = port
    }

    /// What it holds in memory, in bytes.
    var memory: Int {
        get throws {
            let status = try String(
                contentsOfFile: "/proc/\(process.processIdentifier)/status",
                encoding: .utf8
            )
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }
    }

    /// Signs a user in; answers with the cookie.
    func signIn(_ user: Int, over connection: Connection) throws -> String {
        let head = try connection.ask(
            Array(
                "POST /login?user=user-\(user) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".utf8
            )
        )
        guard let cookie = try Connection.field("set-cookie", of: head) else {
            throw Connection.Failed(what: "no cookie: \(head)")
        }
        return String(cookie.prefix { $0 != ";" })
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }
}
