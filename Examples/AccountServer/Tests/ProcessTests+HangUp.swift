import ExampleSupport
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
    @Test("P-52: on SIGHUP the accounts are read again; a file that is none changes nothing")
    func hangUp() async throws {
        try await inFolder { folder in
            let server = try ServerProcess(in: folder, ["--in-memory"])
            let client = try await server.client()
            let anna = try await client.signIn { try await server.code(after: 0) }
            let carl = try await client.signIn("carl@example.com", "customer") {
                try await server.code(after: 1)
            }
            let file = folder.appending(path: "accounts.json")
            try Data("[".utf8).write(to: file)
            server.send(SIGHUP)
            #expect(await BoundedWait.holds { server.log.contains("accounts not read again") })
            #expect(try await client.status(anna).status == 200)
            try Data(#"[{"id":"carl","role":"customer","email":"carl@example.com"}]"#.utf8).write(to: file)
            server.send(SIGHUP)
            #expect(await BoundedWait.holds { server.log.contains("\"accounts read again") })
            #expect(try await client.status(anna).problem == "not-signed-in")
            #expect(try await client.status(carl).status == 200)
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
        }
    }

    @Test("P-52: a SIGHUP that comes during the start is obeyed after it")
    func hangUpAtStart() async throws {
        try await inFolder { folder in
            // The server makes its store under this lock, so the start waits for the lock.
            let store = folder.appending(path: "store")
            let path = store.appending(path: "accounts.keystore.lock").path
            try FileManager.default.createDirectory(
                at: store,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            try #require(FileManager.default.createFile(atPath: path, contents: nil, attributes: mode))
            let lock = try #require(FileHandle(forUpdatingAtPath: path))
            try #require(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
            let server = try ServerProcess(in: folder)
            #expect(await BoundedWait.holds { server.log.contains(#""message":"descriptors""#) })
            server.send(SIGHUP)
            #expect(flock(lock.fileDescriptor, LOCK_UN) == 0)
            _ = try await server.client()
            #expect(await BoundedWait.holds { server.log.contains("\"accounts read again") })
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
        }
    }
}
