#if os(Linux)
import PortcullisCore
import Testing

@testable import ProcessShield

/// Processes that are not what they look like in a table: those of the shield, and those whose first thread has ended.
@Suite("The shield's own program, and first threads", .timeLimit(.minutes(5)))
struct OwnProgramTests {
    private let processes: ProcessFolder
    private let chess: String
    private let mail: String
    private let own: String

    init() throws {
        processes = try ProcessFolder()
        chess = try processes.scratch.write("chess", to: "bin/chess", mode: 0o755)
        mail = try processes.scratch.write("mail", to: "bin/mail", mode: 0o755)
        own = try processes.scratch.write("own", to: "bin/shielder", mode: 0o755)
    }

    private func program() throws -> Program { Program(files: [try #require(FileID(path: chess)): chess]) }

    private func stopper(program: FileID? = nil) -> ProcessStopper {
        processes.stopper(
            SafetyRules(
                own: 2,
                ancestors: [],
                users: [1_000],
                program: program ?? FileID(path: own),
                path: own
            )
        )
    }

    @Test("X-1: a process of the program that shields is left in an app's group, and the others are stopped")
    func group() throws {
        try processes.write(500, chess)
        try processes.write(501, own, parent: 500, group: 500)
        try processes.write(502, mail, parent: 500, group: 500)
        let (stopper, program) = (stopper(), try program())
        let shields = ResolvedSelection(apps: [AppToken("chess.desktop"): .program(program)])
        let found = stopper.findings(for: [program])
        #expect(Set(found.map(\.identity.pid)) == [500, 502] && found.allSatisfy { $0.group == nil })
        let shielder = try #require(processes.table.process(501))
        #expect(!stopper.rules.isTouchable(shielder, as: program))
        // The other one needs no second signal where it was stopped before.
        try processes.write(502, mail, parent: 500, group: 500, state: "T")
        let second = Set(found.filter { $0.identity.pid == 502 })
        #expect(second.count == 1)
        #expect(stopper.findings(for: [program], besides: second).map(\.identity.pid) == [500])
        try processes.write(502, mail, parent: 500, group: 500)
        // What was stopped beside it stays so, also when it is gone.
        #expect(try stopper.review(found, of: shields).released.isEmpty)
        try processes.scratch.remove("proc/501")
        #expect(try stopper.review(found, of: shields).released.isEmpty)
        // Where the app itself is gone there is nothing to stay for.
        try processes.scratch.remove("proc/500")
        #expect(try stopper.review(found, of: shields).released.map(\.identity.pid).sorted() == [500, 502])
    }

    @Test("X-1: after an upgrade the program that shields is known by its path, in its own root")
    func upgraded() throws {
        try processes.write(500, chess)
        try processes.write(501, own, parent: 500, group: 500)
        // The file that was replaced.
        let stopper = stopper(program: FileID(device: 1, inode: 1, born: 1))
        let program = try program()
        #expect(stopper.findings(for: [program]).map(\.identity.pid) == [500])
        try processes.scratch.link("proc/501/root", to: "\(processes.scratch.path)/bin")
        #expect(Set(stopper.findings(for: [program]).map(\.identity.pid)) == [500, 501])
    }

    @Test("X-1: the program that shields is found in the table, and is none that runs others")
    func ownProgram() throws {
        try processes.write(100, own)
        let rules = SafetyRules(own: 100, users: [], in: processes.table)
        #expect(rules.program == FileID(path: own) && rules.path == own)
        #expect(rules.identity == processes.table.process(100)?.identity)
        let python = try processes.scratch.write("", to: "bin/python3", mode: 0o755)
        try processes.write(101, python)
        let others = SafetyRules(own: 101, users: [], in: processes.table)
        #expect(others.program == nil && others.path == nil)
    }

    @Test("X-1: the process that shields is unknown while one that started it cannot be read")
    func unreadAncestor() throws {
        try processes.write(100, own, parent: 99)
        try processes.write(99, mail, parent: 98)
        // The table lacks the next one, as with `hidepid`.
        let rules = SafetyRules(own: 100, users: [], in: processes.table)
        #expect(rules.identity != nil && rules.ancestors.map(\.pid) == [99])
        try processes.hide("proc/98/stat")
        let unread = SafetyRules(own: 100, users: [], in: processes.table)
        #expect(unread.identity == nil && unread.ancestors.isEmpty && unread.program == nil)
        try processes.scratch.remove("proc/98")
        try processes.write(98, mail)
        let later = SafetyRules(own: 100, users: [], in: processes.table)
        #expect(later.identity != nil && Set(later.ancestors.map(\.pid)) == [98, 99])
    }

    private func stat(_ pid: Int32, _ state: String, threads: Int, in folder: String) throws {
        try processes.scratch.write(
            "\(pid) (x) \(state) 1 500 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 \(threads) 0 5 0 0\n",
            to: "proc/\(folder)/stat"
        )
    }

    @Test("X-1: a process whose first thread has ended is there while another goes on")
    func firstThread() throws {
        try processes.write(500, nil)
        try stat(500, "Z", threads: 2, in: "500")
        try stat(500, "Z", threads: 2, in: "500/task/500")
        try stat(501, "S", threads: 2, in: "500/task/501")
        try processes.scratch.link("proc/500/task/501/exe", to: chess)
        let (table, program) = (processes.table, try program())
        #expect(table.program(of: 500) == chess)
        #expect(ProcessGlance(for: [program], in: table).verdict(on: 500) == .candidate)
        let process = try #require(table.process(500))
        #expect(process.executable == FileID(path: chess) && !process.hasEnded && !process.isStopped)
        #expect(table.isAlive(process.identity))
        #expect(stopper().findings(for: [program]).map(\.identity.pid) == [500])
        try stat(501, "T", threads: 2, in: "500/task/501")
        #expect(table.outline(500)?.isStopped == true)
        // All of them.
        try stat(501, "Z", threads: 2, in: "500/task/501")
        #expect(table.outline(500)?.hasEnded == true)
        // The number says that there are no others.
        try stat(501, "S", threads: 1, in: "500/task/501")
        try stat(500, "Z", threads: 1, in: "500")
        #expect(table.outline(500)?.hasEnded == true && !table.isAlive(process.identity))
    }

    @Test("X-1: of one whose first thread goes on no other thread is looked at")
    func otherThreads() throws {
        try processes.write(500, chess)
        try stat(500, "S", threads: 2, in: "500")
        try stat(499, "T", threads: 2, in: "500/task/499")
        let outline = try #require(processes.table.outline(500))
        #expect(outline.thread == nil && !outline.isStopped)
    }

    @Test("X-1: what may look at every process is told by its rights")
    func rights() throws {
        for (rights, seesAll) in [("0000000000080000", true), ("000001ffffffffff", true), ("0", false)] {
            try processes.scratch.write("Name:\tx\nCapEff:\t\(rights)\n", to: "proc/500/status")
            #expect(processes.table.seesAll(500) == seesAll)
        }
        #expect(!processes.table.seesAll(501))
    }
}
#endif
