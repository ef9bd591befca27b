import Foundation
import GcryptKeystore
import PasscodeLock
import PortcullisCore
import SystemClock
import Testing

/// The README's example, compiled, run, and held against its text.
@Suite("README")
struct ReadmeTests {
    @Test("the embedding example does what it says")
    func example() async throws {
        let folder = NSTemporaryDirectory() + "readme-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let login = Host()
        let typed = SecretBytes("834912")
        // example begins
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "\(folder)/app.keystore", credential: .keyFile("\(folder)/app.key"))
        )
        let lock = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: SystemClock()),
            session: login,  // yours: who is signed in, and how to sign out
            configuration: PasscodeConfiguration(appName: "Ledger")
        )
        let key = try await lock.set(typed).key  // 32 bytes that only this passcode gives back
        let answer = try await lock.verify(typed)  // .right(key), .wrong(failures, retryAfter), .throttled(…)
        // example ends
        guard case .right(let proof) = answer else {
            Issue.record("the example's passcode was refused")
            return
        }
        #expect(try #require(proof.key).matches(try #require(key)))
    }

    @Test("the README shows the example as it is compiled")
    func sameText() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        func tokens(_ text: Substring) -> String { text.filter { !$0.isWhitespace && $0 != "," } }
        let begin = try #require(source.range(of: "// example begins\n"))
        let end = try #require(source.range(of: "// example ends\n"))
        let compiled = tokens(source[begin.upperBound..<end.lowerBound])
        #expect(tokens(readme[...]).contains(compiled))
    }
}
