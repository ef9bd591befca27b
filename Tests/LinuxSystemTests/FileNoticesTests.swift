#if os(Linux)
import Foundation
import LinuxSystem
import Testing

@Suite("Notices about files", .timeLimit(.minutes(1)))
struct FileNoticesTests {
    /// A notice as the kernel writes it: a name is followed by zeros up to a multiple of sixteen, one at least.
    private static func record(_ watch: UInt32, _ events: FileEvents, _ name: String = "") -> [UInt8] {
        let text = Array(name.utf8)
        let padded = text.isEmpty ? [] : text + [UInt8](repeating: 0, count: 16 - text.count % 16)
        return [watch, events.rawValue, 7, UInt32(padded.count)].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        } + padded
    }

    @Test("records are taken apart with their names, and half a record is none")
    func records() {
        let (first, second) = (Self.record(1, .created, "exactly-sixteen."), Self.record(.max, .overflow))
        let third = Self.record(3, [.removed, .isFolder], "b")
        let all = first + second + third
        let expected = [
            FileNotices.Notice(watch: 1, events: .created, name: Array("exactly-sixteen.".utf8)),
            FileNotices.Notice(watch: -1, events: .overflow, name: []),
            FileNotices.Notice(watch: 3, events: [.removed, .isFolder], name: Array("b".utf8)),
        ]
        #expect(FileNotices.notices(in: all[...]) == expected)
        #expect(FileNotices.notices(in: []) == [])
        #expect(FileNotices.notices(in: (first + third.prefix(15))[...]) == [expected[0]])
        // A slice does not begin at 0.
        #expect(FileNotices.notices(in: all[first.count...]) == Array(expected.dropFirst()))
    }

    @Test("what happens in a folder is told with its name, once, and nothing after the watch has ended")
    func folder() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notices-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let notices = try FileNotices()
        #expect(try notices.take() == [])
        let watch = try notices.watch(folder.path, for: [.created, .removed, .onlyFolder])
        let file = folder.appending(path: "a")
        try Data().write(to: file)
        #expect(DescriptorWait.isReady(notices.descriptor, atMost: .zero))
        #expect(try notices.take() == [.init(watch: watch, events: .created, name: Array("a".utf8))])
        #expect(try notices.take() == [])
        try FileManager.default.removeItem(at: file)
        #expect(try notices.take() == [.init(watch: watch, events: .removed, name: Array("a".utf8))])
        notices.end(watch)
        #expect(try notices.take() == [.init(watch: watch, events: .ignored, name: [])])
        try Data().write(to: file)
        #expect(try notices.take() == [])
    }

    @Test("what cannot be watched is an error that names the call, and says where there is nothing")
    func errors() throws {
        let notices = try FileNotices()
        let missing = #expect(throws: SystemCallError.self) {
            _ = try notices.watch("/nothing/here", for: .created)
        }
        #expect(missing?.isMissing == true && missing?.call == "inotify_add_watch")
        let noFolder = #expect(throws: SystemCallError.self) {
            _ = try notices.watch("/dev/null", for: [.created, .onlyFolder])
        }
        #expect(noFolder?.isMissing == false)
        #expect("\(try #require(missing))" == "inotify_add_watch: No such file or directory (2)")
    }
}
#endif
