#if os(Linux)
import PortcullisCore
import Testing

@testable import ProcessShield

/// What is seen of a process before it is read as a whole.
@Suite("A glance at a process", .timeLimit(.minutes(5)))
struct GlanceTests {
    private let processes: ProcessFolder
    private let chess: String
    private let mail: String

    init() throws {
        processes = try ProcessFolder()
        chess = try processes.scratch.write("chess", to: "bin/chess", mode: 0o755)
        mail = try processes.scratch.write("mail", to: "bin/mail", mode: 0o755)
    }

    private func glance(_ program: Program) -> ProcessGlance {
        ProcessGlance(for: [program], in: processes.table)
    }

    @Test("X-1: a program is known by its file and by its path, each by itself")
    func programs() throws {
        let id = try #require(FileID(path: chess))
        let other = FileID(device: 1, inode: 1, born: 1)
        try processes.scratch.hardLink("bin/patience", to: chess)
        for (pid, name) in [(500, "chess"), (501, "mail"), (502, "patience"), (503, "bash")]
            as [(Int32, String)]
        {
            try processes.write(pid, "\(processes.scratch.path)/bin/\(name)")
        }
        let byFile = glance(Program(files: [id: "/elsewhere/chess"]))
        #expect(
            [500, 501, 502, 503, 504].map(byFile.verdict) == [.candidate, .other, .candidate, .other, .gone]
        )
        let byPath = glance(Program(files: [other: chess]))
        #expect([500, 501, 502, 503].map(byPath.verdict) == [.candidate, .other, .other, .other])
        // What is no link says nothing of a program.
        try processes.scratch.write("", to: "proc/505/exe")
        #expect(byFile.verdict(on: 505) == .other)
        // An interpreter may run a script, or what its words say.
        var script = Program(files: [other: "/elsewhere/chess"], scripts: ["/elsewhere/chess"])
        #expect(glance(script).verdict(on: 503) == .candidate && glance(script).verdict(on: 501) == .other)
        // One of its own is looked at as well.
        script.interpreter = Interpreter(path: mail)
        #expect(glance(script).verdict(on: 501) == .candidate && glance(script).verdict(on: 500) == .other)
        script = Program(launch: .init(launcher: "bash", path: "/bin/bash", arguments: ["-c", "x"]))
        #expect(glance(script).verdict(on: 503) == .candidate && glance(script).verdict(on: 501) == .other)
    }

    @Test("X-1: a unit's processes are looked at for the app of the unit, and for no other")
    func units() throws {
        for (pid, scope) in [
            (500, "/user.slice/app-chess-1.scope"), (501, "/user.slice/app-mail-1.scope"),
            (502, "/user.slice"),
        ] as [(Int32, String)] {
            try processes.write(pid, mail, scope: scope)
        }
        let glance = glance(Program(unitID: "chess"))
        #expect([500, 501, 502].map(glance.verdict) == [.candidate, .other, .other])
        // An app with a file of its own is known by that, and not by its unit.
        let filed = self.glance(
            Program(files: [FileID(device: 1, inode: 1, born: 1): chess], unitID: "chess")
        )
        #expect([500, 501, 502].map(filed.verdict) == [.other, .other, .other])
    }

    @Test("X-1: the latest process that is meant is looked for among the newest sixty-four")
    func latest() throws {
        try processes.scratch.write("0.1 0.2 0.3 1/200 505\n", to: "proc/loadavg")
        let table = processes.table
        #expect(table.latest() == 505)
        for (number, isFound) in [(505, true), (442, true), (441, false), (506, false)] as [(Int32, Bool)] {
            #expect(table.latest { $0 == number } == (isFound ? number : nil))
        }
        #expect(table.latest { $0 < 500 } == 499)
        try processes.scratch.write("0.1 0.2 0.3 1/200 3\n", to: "proc/loadavg")
        #expect(table.latest { $0 == 1 } == 1 && table.latest { $0 == 0 } == nil)
        try processes.scratch.remove("proc/loadavg")
        #expect(table.latest { _ in true } == nil)
    }

    @Test("X-1: what is in an app's process group, and those that started it, are looked at with it")
    func groups() throws {
        try processes.write(500, chess)
        // One of the group that was started by way of processes of other groups.
        try processes.write(501, mail, parent: 500, group: 501)
        try processes.write(502, mail, parent: 501, group: 502)
        try processes.write(503, mail, parent: 502, group: 500)
        try processes.write(504, mail)
        let id = try #require(FileID(path: chess))
        let program = Program(files: [id: chess])
        let look = processes.table.look(for: [program])
        #expect(Set(look.processes.keys) == [500, 501, 502, 503])
        #expect(look.processes[503]?.user == 1_000 && look.processes[502]?.user == nil)
        #expect(
            Set(processes.table.look(for: [program], and: [504]).processes.keys) == [500, 501, 502, 503, 504]
        )
        #expect(processes.table.look(for: []).processes.isEmpty)
        let stopper = processes.stopper()
        let found = stopper.findings(for: [program])
        #expect(Set(found.map(\.identity.pid)) == [500, 503] && found.allSatisfy { $0.group?.number == 500 })
        // A stranger in the group: the app alone is stopped, and needs no signal when it stands still already.
        try processes.write(505, mail, group: 500)
        #expect(stopper.findings(for: [program]).map(\.identity.pid) == [500])
        #expect(stopper.findings(for: [program]).first?.group == nil)
        try processes.write(500, chess, state: "T")
        #expect(stopper.findings(for: [program]).isEmpty)
        #expect(stopper.finding(500, for: [program]) == nil)
        try processes.write(500, chess)
        #expect(stopper.finding(500, for: [program])?.process.identity.pid == 500)
        #expect(stopper.finding(501, for: [program]) == nil && stopper.finding(509, for: [program]) == nil)
    }

    @Test("X-1: a group is the recorded one while its session and its leader are")
    func members() throws {
        try processes.write(500, chess, session: 7)
        try processes.write(501, chess, group: 500, session: 7)
        try processes.write(502, chess, group: 500, session: 8)
        try processes.write(503, chess, session: 7)
        try processes.write(504, chess, group: 500, session: 7, state: "Z")
        let (stopper, all) = (processes.stopper(), processes.table.all())
        func members(_ number: Int32, _ leader: UInt64?) -> Set<Int32> {
            let group = ProcessGroup(number: number, session: 7, leader: leader)
            return Set(stopper.members(in: all)(group).map(\.pid))
        }
        #expect(members(500, 5) == [500, 501])
        #expect(members(500, 6).isEmpty && members(500, nil).isEmpty && members(1, nil).isEmpty)
        #expect(members(509, 5).isEmpty)
    }

    @Test("X-1: what is recorded is let go on when it is meant no more, and forgotten when it has ended")
    func review() throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(500, chess, scope: scope)
        try processes.write(501, mail)
        try processes.write(502, chess, group: 501)
        try processes.write(503, chess, state: "Z")
        try processes.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
        let id = try #require(FileID(path: chess))
        let stopper = processes.stopper()
        let program = Program(files: [id: chess])
        let shields = ResolvedSelection(apps: [AppToken("chess.desktop"): .program(program)])
        func stopped(_ pid: Int32, start: UInt64 = 5, group: Int32? = nil, scope: String? = nil)
            -> StoppedProcess
        {
            StoppedProcess(
                identity: .init(pid: pid, start: start),
                group: group.map { ProcessGroup(number: $0, session: 1, leader: 5) },
                scope: scope
            )
        }
        func review(_ process: StoppedProcess) throws -> (isReleased: Bool, isGone: Bool) {
            let (released, gone, _, _) = try stopper.review([process], of: shields)
            return (released == [process], gone == [process])
        }
        for (process, isReleased, isGone) in [
            (stopped(500), false, false), (stopped(501), true, false), (stopped(503), true, true),
            (stopped(509), true, true), (stopped(500, start: 6), true, true),
            // By its group, or its unit, though the process itself has ended.
            (stopped(509, group: 501), false, false), (stopped(509, group: 509), true, true),
            (stopped(509, scope: scope), false, false), (stopped(509, scope: "/none"), true, true),
        ] {
            let review = try review(process)
            #expect(review.isReleased == isReleased && review.isGone == isGone, "\(process)")
        }
        #expect(try stopper.review([], of: shields).released.isEmpty)
    }

    @Test(
        "X-1: while a process of a shielded program cannot be read nothing is let go on, and that is told"
    )
    func partlyRead() throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(501, mail)
        let stopper = processes.stopper()
        let stopped = StoppedProcess(identity: .init(pid: 501, start: 5))
        let filed = Program(files: [try #require(FileID(path: chess)): chess])
        let python = try processes.scratch.write("python", to: "bin/python3", mode: 0o755)
        let words = ["python3", "-m", "game"]
        let launch = Program.Launch(launcher: words[0], path: python, arguments: Array(words[1...]))
        let image = Program(files: filed.files, isImage: true)
        for (program, path, file) in [
            (filed, chess, "stat"), (filed, chess, "status"), (Program(unitID: "chess"), mail, "cgroup"),
            (Program(launch: launch), python, "cmdline"), (image, "/tmp/.mount_X/chess", "environ"),
        ] {
            let shields = ResolvedSelection(apps: [AppToken("chess.desktop"): .program(program)])
            try processes.write(500, path, scope: scope, words: words)
            try processes.scratch.write("APPIMAGE=\(chess)\0", to: "proc/500/environ")
            #expect(stopper.search(for: [program]).found.map(\.identity.pid) == [500])
            #expect(stopper.search(for: [program]).isRead)
            #expect(try stopper.review([stopped], of: shields).released == [stopped])
            try processes.hide("proc/500/\(file)")
            let search = stopper.search(for: [program])
            #expect(search.found.isEmpty && !search.isRead, "\(file)")
            #expect(stopper.verdict(on: 500, by: glance(program), for: [program]) == .candidate)
            let none = SafetyRules(own: 2, ancestors: [], users: [])
            // Of a process that is left alone, neither arguments nor environment are read.
            let isOpen = ["cmdline", "environ"].contains(file)
            #expect(processes.stopper(none).search(for: [program]).isRead == isOpen)
            #expect(throws: ShieldError.self) { try stopper.review([stopped], of: shields) }
            // Where no shield is up, what cannot be read keeps nothing.
            #expect(try stopper.review([stopped], of: ResolvedSelection()).released == [stopped])
            try processes.scratch.remove("proc/500")
        }
    }

    @Test("X-1: a start of what cannot be read is reported, as one of a shielded program is")
    func unreadStart() throws {
        let program = Program(files: [try #require(FileID(path: chess)): chess])
        let (stopper, glance) = (processes.stopper(), glance(program))
        func verdict(_ pid: Int32) -> ProcessGlance.Verdict {
            stopper.verdict(on: pid, by: glance, for: [program])
        }
        try processes.write(500, chess)
        try processes.write(501, mail)
        // It stands still already.
        try processes.write(502, chess, state: "T")
        #expect([500, 501, 502, 503].map(verdict) == [.candidate, .other, .other, .gone])
        for pid in Int32(500)...501 {
            try processes.hide("proc/\(pid)/stat")
            #expect(verdict(pid) == (pid == 500 ? .candidate : .other))
        }
        #expect(stopper.finding(500, for: [program]) == nil && !stopper.search(for: [program]).isRead)
    }

    @Test("X-1: what cannot be read has not ended, and is not known to have gone on")
    func unreadable() throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(501, mail)
        for (pid, group) in [(500, 500), (502, 503)] as [(Int32, Int32)] {
            try processes.write(pid, chess, group: group)
            try processes.hide("proc/\(pid)/\(pid == 500 ? "stat" : "status")")
        }
        try processes.hide("cgroup\(scope)/cgroup.freeze")
        let (stopper, group) = (processes.stopper(), ProcessGroup(number: 503, session: 1, leader: 5))
        let alone = StoppedProcess(identity: .init(pid: 500, start: 5))
        let member = StoppedProcess(identity: .init(pid: 509, start: 5), group: group)
        let frozen = StoppedProcess(identity: .init(pid: 509, start: 5), scope: scope)
        let ended = StoppedProcess(identity: .init(pid: 509, start: 5))
        let review = try stopper.review([alone, member, frozen, ended], of: ResolvedSelection())
        #expect(review.released == [member, frozen, ended] && review.gone == [ended])
        // Under a shield, what cannot be read in the group may be what the shield names.
        let shields = ResolvedSelection(selection: ShieldSelection(apps: [AppToken("chess.desktop")]))
        let shielded = try stopper.review([alone, member, ended], of: shields)
        #expect(shielded.released == [ended] && shielded.gone == [ended] && shielded.kept.isEmpty)
        let program = Program(files: [try #require(FileID(path: chess)): chess])
        #expect(!stopper.search(for: [program]).isRead)
        #expect(stopper.resume([member, frozen, ended]) == [member, frozen])
        try processes.scratch.remove("proc")
        #expect(!stopper.search(for: [program]).isRead && stopper.search(for: []).isRead)
        #expect(throws: ShieldError.self) { try stopper.review([ended], of: ResolvedSelection()) }
        #expect(stopper.resume([member, ended]) == [member])
    }

    @Test("X-1: what stands still is counted once: by its unit's freezer, or by a signal")
    func counts() throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(500, chess, state: "T", scope: scope)
        try processes.write(501, chess, scope: scope)
        try processes.write(502, chess, state: "T")
        try processes.write(503, chess)
        try processes.write(504, chess, group: 502, state: "T")
        try processes.write(505, chess, state: "Z", scope: scope)
        try processes.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
        let identities = (500...505).map { RunningProcess.Identity(pid: $0, start: 5) }
        var all = Set((identities.dropFirst(2) + [identities[0]]).map { StoppedProcess(identity: $0) })
        all.insert(StoppedProcess(identity: identities[0], scope: scope))
        all.insert(StoppedProcess(identity: .init(pid: 502, start: 4)))
        let group = ProcessGroup(number: 502, session: 1, leader: 5)
        all.insert(StoppedProcess(identity: identities[2], group: group))
        let count = processes.stopper().count(all)
        #expect(count.frozen == 2 && count.signalled == 2)
        try processes.scratch.write("0\n", to: "cgroup\(scope)/cgroup.freeze")
        #expect(processes.stopper().count(all).frozen == 0)
    }

    @Test("X-1: where both versions of control groups are mounted the unified one is used")
    func hybrid() throws {
        let folder = "\(processes.scratch.path)/both"
        #expect(ControlGroups(folder: folder).folder == folder)
        try processes.scratch.write("", to: "both/unified/cgroup.procs")
        #expect(ControlGroups(folder: folder).folder == "\(folder)/unified")
        try processes.scratch.write("", to: "both/cgroup.procs")
        #expect(ControlGroups(folder: folder).folder == folder)
    }

    @Test("X-1: a unit is frozen with what the app has started by way of processes that are elsewhere")
    func startedElsewhere() throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(500, chess, scope: scope)
        try processes.write(501, mail, parent: 500)
        try processes.write(502, mail, parent: 501, scope: scope)
        try processes.scratch.write("0\n", to: "cgroup\(scope)/cgroup.freeze")
        try processes.scratch.write("500\n502\n", to: "cgroup\(scope)/cgroup.procs")
        let program = Program(files: [try #require(FileID(path: chess)): chess], unitID: "chess")
        func scopes() -> [String?] { processes.stopper().findings(for: [program]).map(\.scope) }
        #expect(scopes() == [scope])
        try processes.write(501, mail)
        #expect(scopes() == [nil], "nothing says that the app has started it")
    }

    @Test("X-1: frozen units of apps are found as deep as a desktop has them, and no others")
    func frozen() throws {
        let top = "/user.slice"
        let deep = "\(top)/1/2/3/4/5/6/7"
        for (path, isFrozen) in [
            ("\(top)/app-a-1.scope", true), ("\(top)/app.slice/app-b-1.service", true),
            ("\(deep)/app-c-1.scope", true),
            ("\(deep)/8/app-d-1.scope", true), ("\(top)/app-e-1.scope", false),
            ("\(top)/run-f-1.scope", true),
            ("\(top)/app-g.slice", true), ("\(top)/snap.h.h-1.scope", true),
            ("\(top)/snap.i.i.service", true),
        ] {
            try processes.scratch.write(isFrozen ? "1\n" : "0\n", to: "cgroup\(path)/cgroup.freeze")
        }
        let found = processes.controlGroups.frozenApps(below: top)
        #expect(
            Set(found) == [
                "\(top)/app-a-1.scope", "\(top)/app.slice/app-b-1.service", "\(deep)/app-c-1.scope",
                "\(top)/snap.h.h-1.scope",
            ]
        )
    }
}
#endif
