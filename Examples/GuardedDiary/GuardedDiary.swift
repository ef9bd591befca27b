import Foundation
import GcryptKeystore
import PasscodeLock
import PortcullisCore
import SystemClock
import TerminalHost

/// A diary behind a passcode: puts a program that knows nothing of locks behind a lock.
@main
struct GuardedDiary {
    static func main() async throws {
        // The guarded program is this binary with the argument `write`, so that the example is one file.
        if CommandLine.arguments.dropFirst() == ["write"] { return try Diary.write() }

        let clock = SystemClock()
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "diary.data/keystore", credential: .keyFile("diary.data/key"))
        )
        let program = GuardedProgram([CommandLine.arguments[0], "write"], clock: clock)
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: clock),
            session: program,
            configuration: PasscodeConfiguration(
                appName: "Diary",
                launch: .always,
                idleTimeout: .seconds(300)
            )
        )
        let run = try GuardedRun(program, behind: service, texts: GuardTexts(name: "Diary"))
        let ending = try await run.run()

        await store.close()
        if ending.reason == .loggedOut { print("Logged out: the next one sets a new passcode.") }
        exit(ending.status)
    }
}

/// The guarded program. It keeps lines in a file that is not encrypted.
enum Diary {
    private static let file = "diary.data/diary.txt"

    static func write() throws {
        if !FileManager.default.fileExists(atPath: file) {
            try Data().write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        }
        // If the diary cannot be read, it is not written, so that its content stays.
        let entries = try String(contentsOfFile: file, encoding: .utf8)
        print("The diary has \(entries.split(separator: "\n").count) entries. What happened?")
        let diary = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        defer { try? diary.close() }
        while let line = readLine() {
            try diary.seekToEnd()
            try diary.write(contentsOf: Data("\(line)\n".utf8))
            print("Kept.")
        }
    }
}
