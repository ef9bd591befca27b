import Foundation
import LinuxSystem
import PortcullisCore
import Testing

@testable import GcryptKeystore

@Suite("Places and files", .timeLimit(.minutes(10)))
struct FilePlaceTests {
    @Test(
        "K-1: a path has a folder and a name",
        arguments: [
            ("a", ".", "a"), ("/a", "/", "a"), ("/x/a", "/x", "a"), ("x/y/a", "x/y", "a"), ("./a", ".", "a"),
            ("/x/", "/x", ""),
            // A combining mark makes one character with the slash before it, and is a file's name all the same.
            ("/x/\u{308}a", "/x", "\u{308}a"), ("/\u{301}", "/", "\u{301}"),
            ("x/y\u{308}/\u{308}", "x/y\u{308}", "\u{308}"),
        ]
    )
    func parts(_ path: String, _ folder: String, _ name: String) {
        let place = FilePlace(path: path)
        #expect(place.folder.utf8.elementsEqual(folder.utf8) && place.name.utf8.elementsEqual(name.utf8))
    }

    @Test("K-1: the store's own names are kept free also in a folder that is not there yet")
    func missingFolder() throws {
        let scratch = try Scratch()
        let place = FilePlace(path: scratch.path + "/missing/store")
        let error = #expect(throws: SecretStoreError.self) {
            try place.demandForeign(scratch.path + "/missing/store.lock", POSIXFiles())
        }
        #expect(error?.code == .invalidName)
        try place.demandForeign(scratch.path + "/other/store.lock", POSIXFiles())
    }

    @Test(
        "K-10: a store whose name begins with a combining mark is refused in a folder that is open to others"
    )
    func markAfterSlash() async throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/open",
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777]
        )
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777],
            ofItemAtPath: scratch.path + "/open"
        )
        var configuration = scratch.configuration
        configuration.path = scratch.path + "/open/\u{308}store"
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await GcryptKeystore.open(configuration)
        }
        #expect(error?.code == .untrustedFile)
    }

    @Test("K-10: a file is private where it is a file of its user's with no right for others")
    func privacy() throws {
        let files = POSIXFiles()
        func status(_ kind: FileStatus.Kind, owner: UInt32? = nil, mode: UInt32 = 0o600) -> FileStatus {
            FileStatus(
                kind: kind,
                size: 1,
                links: 1,
                owner: owner ?? files.user,
                mode: mode,
                identity: FileIdentity(device: 1, number: 2),
                changed: nil
            )
        }
        func words(_ status: FileStatus) -> String? {
            do throws(SecretStoreError) {
                try FilePlace.demandPrivate(status, "p", user: files.user)
                return nil
            } catch {
                #expect(error.code == .untrustedFile && error.path == "p")
                return error.message
            }
        }
        #expect(words(status(.regular)) == nil && words(status(.regular, mode: 0o700)) == nil)
        #expect(words(status(.link)) == "the file is a symbolic link")
        for kind in [.folder, .other] as [FileStatus.Kind] {
            #expect(words(status(kind)) == "the file is not a regular file")
        }
        #expect(words(status(.regular, owner: files.user + 1)) == "the file belongs to another user")
        for bit in 0..<6 {
            #expect(
                words(status(.regular, mode: 0o600 | 1 << UInt32(bit)))
                    == "the file is open to other users; `chmod 600` closes it"
            )
        }
    }

    @Test(
        "K-10: the system tells what a file is, by its path and by its number, with its time where that is asked for"
    )
    func statuses() throws {
        let scratch = try Scratch()
        let files = POSIXFiles()
        try scratch.put([1, 2, 3], scratch.store)
        try FileManager.default.linkItem(atPath: scratch.store, toPath: scratch.path + "/second")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/link",
            withDestinationPath: scratch.store
        )
        let found = try #require(try files.status(at: scratch.store))
        #expect(found.kind == .regular && found.size == 3 && found.links == 2)
        #expect(found.mode == 0o600 && found.owner == files.user)
        #expect(try files.status(at: scratch.path + "/second")?.identity == found.identity)
        #expect(try files.status(at: scratch.path + "/link")?.kind == .link)
        #expect(try files.status(at: scratch.path)?.kind == .folder)
        #expect(try files.status(at: scratch.path)?.mode == 0o700)
        #expect(try files.status(at: "/dev/null")?.kind == .other)
        #expect(try files.status(at: scratch.path + "/none") == nil)
        #expect(throws: SystemCallError.self) { try files.status(at: scratch.store + "/none") }
        #expect(throws: SystemCallError.self) { try files.status(of: -1) }
        #expect(throws: SystemCallError.self) { try files.datedStatus(of: -1) }
        let file = OpenDescriptor(try files.open(scratch.store, .read), files)
        var dated = try files.datedStatus(of: file.number)
        let changed = try #require(dated.changed)
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.store)
        let modified = try #require(attributes[.modificationDate] as? Date)
        // Its second name came after its bytes.
        #expect(Double(changed) / 1e9 - modified.timeIntervalSince1970 > -0.001)
        #expect(Double(changed) / 1e9 - modified.timeIntervalSince1970 < 3_600)
        dated.changed = nil
        var undated = try files.status(of: file.number)
        undated.changed = nil
        #expect(dated == undated)
    }

    @Test(
        "K-7: a file settles where its time is known to less than a second and lies twenty milliseconds back",
        arguments: [
            (5, 10, 20_000_010, true), (5, 10, 20_000_009, false), (5, 10, 9, false),
            (0, 10, 30_000_000, false),
            (7_000_000_000, 10, 30_000_000, false), (7_000_000_001, 10, 30_000_000, true),
            (nil, 10, 30_000_000, false),
        ] as [(UInt64?, UInt64, UInt64, Bool)]
    )
    func settles(_ changed: UInt64?, _ since: UInt64, _ now: UInt64, _ isPast: Bool) {
        var status = FileStatus(
            kind: .regular,
            size: 9,
            links: 1,
            owner: 0,
            mode: 0,
            identity: FileIdentity(device: 1, number: 2),
            changed: changed
        )
        let seen = SeenFile(status, since: since)
        #expect(seen.isPast(at: now) == isPast && !seen.isSettled)
        #expect(seen.isSame(status) == (changed != nil))
        status.size = 10
        #expect(!seen.isSame(status))
        (status.size, status.changed) = (9, (changed ?? 0) + 1)
        #expect(!seen.isSame(status))
    }
}
