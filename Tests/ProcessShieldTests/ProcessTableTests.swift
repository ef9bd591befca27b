import Foundation
import PortcullisCore
import Testing

@testable import ProcessShield

@Suite("The process table", .timeLimit(.minutes(5)))
struct ProcessTableTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func line(_ name: String, state: String = "S", flags: Int = 0) -> String {
        "42 (\(name)) \(state) 7 9 11 13 15 \(flags) 0 0 0 0 0 0 0 0 20 0 1 0 123456 0 0\n"
    }

    @Test(
        "X-1: names with brackets, blanks and line breaks are read",
        arguments: ["a", "a) S 1 (b", "a b", "a\n)", ""]
    )
    func names(_ name: String) {
        let read = ProcessTable.Statistics(parsing: Array(line(name).utf8))
        #expect(read?.parent == 7 && read?.group == 9 && read?.start == 123_456 && read?.state == "S")
        #expect(read?.session == 11 && read?.terminal == 13 && read?.foreground == 15)
    }

    @Test("X-1: the kernel's own processes are told by their flag, and no others")
    func flags() {
        for (flags, isKernel) in [(0x0020_0000, true), (0x0060_0040, true), (0x0040_0040, false), (1, false)]
        {
            let read = ProcessTable.Statistics(parsing: Array(line("a", flags: flags).utf8))
            #expect(read?.isKernelThread == isKernel)
        }
    }

    @Test("X-1: the unified control group counts, or systemd's where that one is not used")
    func controlGroups() throws {
        for (text, group) in [
            ("1:name=systemd:/a\n0::/b:c\n", "/b:c"), ("4:cpu:/x\n1:name=systemd:/a\n0::/\n", "/a"),
            ("4:cpu:/x\n", "/"), ("0:/x\nbad\n", "/"), ("", "/"),
        ] {
            try scratch.write(text, to: "proc/42/cgroup")
            #expect(ProcessTable(folder: "\(scratch.path)/proc").controlGroup(of: 42) == group)
        }
        #expect(ProcessTable(folder: "\(scratch.path)/proc").controlGroup(of: 43) == "/")
        // A folder in the place of the file, which no process can read.
        try scratch.write("", to: "proc/44/cgroup/none")
        #expect(ProcessTable(folder: "\(scratch.path)/proc").controlGroup(of: 44) == nil)
    }

    @Test(
        "X-1: what is no line of a process is none",
        arguments: [
            "", "42", "42 (a", "42 (a) S 1", "42 (a) S x 1 1",
            "42 (a) S" + String(repeating: " 1", count: 18),
        ]
    )
    func garbage(_ text: String) { #expect(ProcessTable.Statistics(parsing: Array(text.utf8)) == nil) }

    @Test("X-1: a line that ends with the time of the start is enough")
    func shortest() {
        let read = ProcessTable.Statistics(
            parsing: Array(("42 (a) S" + String(repeating: " 1", count: 19)).utf8)
        )
        #expect(read?.start == 1)
    }

    @Test("X-1: user, program, control group and arguments come from the table's folder")
    func fields() throws {
        let program = try scratch.write("x", to: "chess")
        try scratch.write(line("che ss)", state: "T"), to: "proc/42/stat")
        try scratch.write("Name:\tx\nUid:\t1000\t0\t0\t0\n", to: "proc/42/status")
        try scratch.write(
            "3:cpu:/x\n1:name=systemd:/a\n0::/user.slice/app-chess-1.scope\n",
            to: "proc/42/cgroup"
        )
        try scratch.write("chess\0\0--new\0", to: "proc/42/cmdline")
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/proc/42/exe",
            withDestinationPath: program
        )
        try scratch.write(line("half"), to: "proc/43/stat")
        try scratch.write("", to: "proc/44/stat")
        let all = ProcessTable(folder: "\(scratch.path)/proc").all().values
        #expect(all.map(\.pid) == [42], "processes that went away while they were read are left out")
        let process = try #require(all.first)
        #expect(process.tableFolder == "\(scratch.path)/proc" && process.session == 11)
        #expect(process.user == 1_000 && process.isStopped && !process.isKernelThread)
        #expect(process.executable == FileID(path: program) && process.executablePath == program)
        #expect(process.unit == "app-chess-1.scope")
        #expect(process.arguments() == ["chess", "", "--new"])
        try scratch.write("", to: "proc/42/cmdline")
        #expect(process.arguments() == [])
    }

    @Test(
        "X-1: time in which the search did not run says nothing of what was missed, and uses little patience"
    )
    func searchTime() {
        let start = ContinuousClock.now
        var time = SearchTime(since: start)
        func look(at milliseconds: Double) -> [Duration] {
            time.goOn(at: start + .microseconds(Int(milliseconds * 1_000)))
            return [time.quiet, time.spent]
        }
        #expect(look(at: 0.5) == [.microseconds(500), .microseconds(500)])
        #expect(look(at: 1.5) == [.microseconds(1_500), .microseconds(1_500)], "looking may take a while")
        // As when other programs had all processors.
        #expect(look(at: 11.5) == [.microseconds(1_500), .microseconds(2_500)])
        #expect(look(at: 12) == [.milliseconds(2), .milliseconds(3)])
        time.missed()
        #expect(look(at: 12.25) == [.microseconds(250), .microseconds(3_250)])
    }

    #if os(Linux)
    @Test("X-1: a file that is made where one was removed is told from that one by its time of birth")
    func born() throws {
        let scratch = try Scratch()
        let program = try scratch.write("chess", to: "chess")
        let id = try #require(FileID(path: program))
        let output = Pipe()
        let stat = Process()
        stat.executableURL = URL(fileURLWithPath: "/usr/bin/stat")
        stat.arguments = ["--format=%W", program]
        stat.standardOutput = output
        try stat.run()
        stat.waitUntilExit()
        let told = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        // 0 where the file system does not say.
        #expect(id.born / 1_000_000_000 == Int64(told.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(id == FileID(device: id.device, inode: id.inode, born: id.born))
        #expect(id != FileID(device: id.device, inode: id.inode, born: id.born + 1))
    }

    @Test("X-1: this process is in the table, and is told from one that had its number before")
    func own() throws {
        let table = ProcessTable()
        let own = try #require(table.process(getpid()))
        #expect(own.parent == getppid() && own.group == getpgrp() && own.user == getuid())
        #expect(own.executable == FileID(path: "/proc/self/exe"))
        #expect(table.isAlive(own.identity))
        #expect(!table.isAlive(.init(pid: own.pid, start: own.identity.start + 1)))
        #expect(table.process(0) == nil && table.process(-1) == nil)
        #expect(table.all().values.contains { $0.identity == own.identity })
    }
    #endif
}
