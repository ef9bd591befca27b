import Foundation
import Testing

#if os(Linux)
import Glibc
#endif

@testable import ProcessShield

@Suite("Files, links and folders", .timeLimit(.minutes(5)))
struct SmallFilesTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    @Test("X-1: an empty file is empty, and what cannot be read is none")
    func kinds() throws {
        let empty = try scratch.write("", to: "empty")
        let text = try scratch.write("text", to: "text")
        #expect(SmallFiles.read(empty) == [] && SmallFiles.record(empty, limit: 9) == [])
        #expect(SmallFiles.read(text) == Array("text".utf8))
        #expect(SmallFiles.record(text, limit: 9) == Array("text".utf8))
        for path in [scratch.path, "\(scratch.path)/none"] {
            #expect(SmallFiles.read(path) == nil && SmallFiles.record(path, limit: 9) == nil)
        }
    }

    @Test("X-1: a file without an end is read to the limit, and a long one whole")
    func limits() throws {
        #expect(SmallFiles.read("/dev/zero")?.count == 65_536)
        #expect(SmallFiles.read("/dev/zero", limit: 5_000)?.count == 5_000)
        #expect(SmallFiles.record("/dev/zero", limit: 5_000)?.count == 5_000)
        let long = String(repeating: "0123456789", count: 2_000)
        #expect(SmallFiles.read(try scratch.write(long, to: "long")) == Array(long.utf8))
        let script = try scratch.write("#!" + long, to: "script")
        guard case .script(let text) = ScriptReader().read(script) else { throw Missing(what: "a script") }
        #expect(text == String(("#!" + long).prefix(16_384)))
    }

    #if os(Linux)
    @Test("X-1: a terminal that is read does not become the reader's own")
    func terminal() async {
        // In a process of its own, which begins a session without a terminal.
        await #expect(processExitsWith: .success) {
            try #require(setsid() > 0)
            let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(master >= 0)
            var (number, isLocked): (UInt32, Int32) = (0, 0)
            // The requests to unlock the other side and to tell its number.
            try #require(unsafe ioctl(master, 0x4004_5431, &isLocked) == 0)
            try #require(unsafe ioctl(master, 0x8004_5430, &number) == 0)
            let slave = "/dev/pts/\(number)"
            _ = SmallFiles.record(slave, limit: 9)
            _ = SmallFiles.read(slave, limit: 9)
            #expect(ProcessTable().outline(getpid())?.terminal == 0)
            // It would have become it otherwise.
            let other = unsafe open(slave, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            #expect(other >= 0 && ProcessTable().outline(getpid())?.terminal != 0)
        }
    }

    @Test("X-1: a pipe is not waited for")
    func pipes() throws {
        let path = "\(scratch.path)/pipe"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        #expect(SmallFiles.read(path) == [] && SmallFiles.record(path, limit: 9) == [])
    }
    #endif

    @Test("X-1: links are told as they are written, and paths without them")
    func links() throws {
        let file = try scratch.write("", to: "b/file")
        try scratch.link("a", to: "b/file")
        #expect(SmallFiles.link("\(scratch.path)/a") == "b/file")
        #expect(SmallFiles.link(file) == nil && SmallFiles.link("\(scratch.path)/none") == nil)
        #expect(SmallFiles.realPath("\(scratch.path)/a") == file)
        #expect(SmallFiles.realPath("\(scratch.path)/none") == nil)
        #expect(SmallFiles.names(in: scratch.path) == ["a", "b"])
        #expect(SmallFiles.names(in: file) == [])
    }

    @Test("X-1: of a folder that is full, so many entries are read, and the first of the wanted names kept")
    func fullFolder() throws {
        let names = (100..<200).map { "\($0)" }
        for name in names.shuffled() { try scratch.write("", to: "full/\(name)") }
        let folder = "\(scratch.path)/full"
        func found(limit: Int, reach: Int) -> (names: [String], asked: Int) {
            var asked = 0
            let found = SmallFiles.names(in: folder, limit: limit, reach: reach) { name in
                asked += 1
                return name.hasSuffix("0") || name.hasSuffix("1")
            }
            return (found, asked)
        }
        let wanted = names.filter { $0.hasSuffix("0") || $0.hasSuffix("1") }
        #expect(found(limit: 100, reach: 1_000) == (wanted, 100))
        for limit in [1, 3, 19, 20] {
            #expect(found(limit: limit, reach: 1_000) == (Array(wanted.prefix(limit)), 100))
        }
        #expect(found(limit: 0, reach: 1_000).names.isEmpty)
        for reach in [1, 17, 100] {
            let (some, asked) = found(limit: 100, reach: reach)
            #expect(asked == reach && Set(some).isSubset(of: wanted) && some == some.sorted())
        }
    }

    @Test("X-1: what a file is: a program, a folder, how many names it has")
    func status() throws {
        let program = try scratch.write("", to: "program", mode: 0o711)
        let text = try scratch.write("", to: "text", mode: 0o666)
        try scratch.hardLink("other", to: program)
        #expect(FileStatus(path: program)?.isExecutable == true && FileStatus(path: program)?.links == 2)
        #expect(FileStatus(path: text)?.isExecutable == false && FileStatus(path: text)?.isRegular == true)
        #expect(FileStatus(path: scratch.path)?.isFolder == true)
        #expect(FileStatus(path: scratch.path)?.isExecutable == false)
        let none = "\(scratch.path)/none"
        #expect(FileStatus(path: none) == nil && FileStatus(file: -1) == nil)
        #expect(FileStatus(held: none) == nil && FileStatus(cached: none) == nil)
        #expect(SmallFiles.ownedRegular(none, limit: 9) == nil)
        #expect(SmallFiles.ownedRegular(text, limit: 9)?.owner == geteuid())
    }
}
