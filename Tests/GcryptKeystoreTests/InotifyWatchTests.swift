#if os(Linux)
import Foundation
import LinuxSystem
import PortcullisTesting
import Synchronization
import Testing

@testable import GcryptKeystore

/// A notice that does not come lets its test run into the limit.
@Suite("Watching a file", .timeLimit(.minutes(5)))
struct InotifyWatchTests {
    @Test("K-9: writing, moving, removing and making a file are each told, and so is the loss of its folder")
    func eachChange() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID())")
        let manager = FileManager.default
        try manager.createDirectory(at: folder.appending(path: "place"), withIntermediateDirectories: true)
        defer { try? manager.removeItem(at: folder) }
        let file = folder.appending(path: "place/file")
        let elsewhere = folder.appending(path: "elsewhere")
        try Data("a".utf8).write(to: file)

        let notices = Mutex((count: 0, failure: SystemCallError?.none))
        let watch = try InotifyWatch(file.path) { failure in
            notices.withLock { $0 = ($0.count + 1, failure) }
        }
        defer { watch.end() }
        func told(after change: () throws -> Void) async throws {
            let before = notices.withLock(\.count)
            try change()
            try await BoundedWait.until { notices.withLock(\.count) > before }
        }
        try await BoundedWait.until { notices.withLock(\.count) == 1 }

        func append() throws {
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("b".utf8))
            try handle.close()
        }
        try await told { try append() }
        try await told { try manager.moveItem(at: file, to: elsewhere) }
        try await told { try manager.moveItem(at: elsewhere, to: file) }
        try await told { try append() }
        try await told { try manager.removeItem(at: file) }
        try await told { try Data().write(to: file) }
        try await told { try append() }
        #expect(notices.withLock(\.failure) == nil)
        try manager.moveItem(at: folder.appending(path: "place"), to: elsewhere)
        try await BoundedWait.until { notices.withLock(\.failure) != nil }
    }
}
#endif
