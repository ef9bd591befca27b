#if os(Linux)
import Foundation
import GcryptKeystore
import Glibc
import PortcullisCore
import Synchronization

@testable import ProcessShield

/// A shield that another process keeps over a keystore that this one reads too.
final class Shielding: Sendable {
    let bench: ShieldBench
    let store: GcryptKeystore
    let process: Child
    private let output: Int32
    private let lines = Mutex<[UInt8]>([])

    /// The helper, beside the tests that were built with it.
    static let executable = built("ShieldProcess")
    /// A program that never stays one process.
    static let hopper = built("PidHopper")

    private static func built(_ name: String) -> String? {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent(name).path
            if FileStatus(path: candidate)?.isExecutable == true { return candidate }
        }
        return nil
    }

    init(_ role: String, on bench: ShieldBench, _ store: GcryptKeystore) throws {
        guard let program = Self.executable else { throw Child.Refused(error: ENOENT) }
        self.bench = bench
        self.store = store
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw Child.Refused(error: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        output = ends[0]
        defer { close(ends[1]) }
        process = try Child(program, [role, bench.scratch.path], output: ends[1])
    }

    deinit { close(output) }

    static func store(of bench: ShieldBench) async throws -> GcryptKeystore {
        try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: "\(bench.scratch.path)/store/keystore",
                credential: .keyFile("\(bench.scratch.path)/key/key")
            )
        )
    }

    /// What it has said, line by line.
    var words: [String] {
        lines.withLock { lines in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe read(output, &buffer, buffer.count)
                guard count > 0 else { break }
                lines += buffer[..<count]
            }
            return lines.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Waits until it has said a word.
    func waits(for word: String) async -> Bool {
        await process.wait(limit: .seconds(60)) { _ in words.contains(word) } != nil
    }
}
#endif
