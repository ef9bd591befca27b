#if os(Linux)
import PortcullisCore
import Testing

@testable import ProcessShield

/// What is found to be stopped in a table that a test has written.
@Suite("What is to be stopped", .timeLimit(.minutes(5)))
struct FindingsTests {
    private let processes: ProcessFolder
    private let chess: String
    private let mail: String
    private let app: Program

    init() throws {
        processes = try ProcessFolder()
        chess = try processes.scratch.write("chess", to: "bin/chess", mode: 0o755)
        mail = try processes.scratch.write("mail", to: "bin/mail", mode: 0o755)
        app = Program(files: [try #require(FileID(path: chess)): chess], unitID: "chess")
    }

    private func group(_ scope: String, _ members: String) throws {
        try processes.scratch.write("0\n", to: "cgroup\(scope)/cgroup.freeze")
        try processes.scratch.write(members, to: "cgroup\(scope)/cgroup.procs")
    }

    @Test("X-1: what this shield has stopped in a group is no reason to leave the group's signal out")
    func recorded() throws {
        try processes.write(500, chess)
        try processes.write(501, mail, parent: 500, group: 500, state: "T")
        // One that has ended says nothing about its group.
        try processes.write(502, mail, group: 500, state: "Z")
        // Nor does one that is about to end, which has no program any more.
        try processes.write(503, nil, group: 500, state: "R")
        let stopped = RunningProcess.Identity(pid: 501, start: 5)
        let group = ProcessGroup(number: 500, session: 1, leader: 5)
        func found(_ recorded: StoppedProcess...) -> Set<StoppedProcess> {
            processes.stopper().findings(for: [app], besides: Set(recorded))
        }
        let alone = StoppedProcess(identity: .init(pid: 500, start: 5))
        let whole = StoppedProcess(identity: .init(pid: 500, start: 5), group: group)
        #expect(found() == [alone], "a person has stopped the other one")
        #expect(found(StoppedProcess(identity: stopped)) == [whole])
        #expect(found(StoppedProcess(identity: .init(pid: 509, start: 5), group: group)) == [whole])
        let other = ProcessGroup(number: 500, session: 1, leader: 4)
        #expect(found(StoppedProcess(identity: .init(pid: 509, start: 5), group: other)) == [alone])
    }

    @Test("X-1: a group with a member that cannot be read gets no signal for all of it")
    func unreadMember() throws {
        try processes.write(500, chess)
        try processes.write(501, mail, group: 500)
        try processes.hide("proc/501/status")
        let alone = StoppedProcess(identity: .init(pid: 500, start: 5))
        #expect(processes.stopper().findings(for: [app]) == [alone])
        try processes.scratch.remove("proc/501")
        #expect(processes.stopper().findings(for: [app]).map(\.group?.number) == [500])
    }

    @Test("X-1: a group is recorded for each app in it, and a process that is stopped alone for its own apps")
    func apps() throws {
        let file = try #require(FileID(path: mail))
        let tokens = [AppToken("chess.desktop"), AppToken(chess)]
        let office = CategoryToken("Office")
        let post = Program(files: [file: mail], token: AppToken("mail.desktop"), categories: [office])
        let programs = tokens.map { Program(files: app.files, token: $0) } + [post]
        try processes.write(500, chess)
        try processes.write(501, mail, parent: 500, group: 500)
        func selections() -> [Int32: ShieldSelection] {
            let found = processes.stopper().findings(for: programs)
            return Dictionary(
                uniqueKeysWithValues: found.map { ($0.identity.pid, $0.selection ?? ShieldSelection()) }
            )
        }
        let all = ShieldSelection(apps: Set(tokens + [AppToken("mail.desktop")]), categories: [office])
        #expect(selections() == [500: all, 501: all])
        // A stranger in the group.
        let go = try processes.scratch.write("go", to: "bin/go", mode: 0o755)
        try processes.write(502, go, group: 500)
        let own = ShieldSelection(apps: [AppToken("mail.desktop")], categories: [office])
        #expect(selections() == [500: ShieldSelection(apps: Set(tokens)), 501: own])
    }

    @Test("X-1: a group is not continued while a member of it is held for an app that is not found here")
    func heldMember() throws {
        try processes.write(500, chess, state: "T")
        try processes.write(501, mail, parent: 500, group: 500, state: "T")
        let token = AppToken("chess.desktop")
        let member = StoppedProcess(.init(pid: 500, start: 5), for: ShieldSelection(apps: [token]))
        let whole = StoppedProcess(
            .init(pid: 501, start: 5),
            group: ProcessGroup(number: 500, session: 1, leader: 5),
            for: ShieldSelection(apps: [AppToken("mail.desktop")])
        )
        let shields = ResolvedSelection(selection: ShieldSelection(apps: [token]))
        #expect(try processes.stopper().review([member, whole], of: shields).released.isEmpty)
        #expect(try processes.stopper().review([whole], of: shields).released == [whole])
    }

    @Test("X-1: one app's frozen unit hides none of its other processes, and a unit of another name is none")
    func severalPlaces() throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(500, chess, scope: scope)
        // One that has ended since, of which nothing is known. The kernel gives its number to no process.
        try group(scope, "500\n5000009\n")
        for pid in Int32(501)...506 { try processes.write(pid, chess) }
        let found = processes.stopper().findings(for: [app])
        #expect(Set(found.map(\.identity.pid)) == Set(500...506))
        #expect(found.filter { $0.scope != nil }.map(\.identity.pid) == [500])
        try processes.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
        #expect(Set(processes.stopper().findings(for: [app]).map(\.identity.pid)) == Set(501...506))
        let elsewhere = "/user.slice/app-mail-1.scope"
        try group(elsewhere, "507\n")
        try processes.write(507, chess, scope: elsewhere)
        let other = try #require(processes.stopper().findings(for: [app]).first { $0.identity.pid == 507 })
        #expect(other.scope == nil)
    }

    @Test("X-1: a control group that another program has entered is not kept frozen")
    func entered() async throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(500, chess, scope: scope)
        try group(scope, "500\n")
        let found = processes.stopper().findings(for: [app])
        #expect(found.map(\.scope) == [scope])
        await processes.stopper().stop(found, of: [app])
        let groups = processes.controlGroups
        #expect(groups.isFrozen(scope))
        try processes.scratch.write("0\n", to: "cgroup\(scope)/cgroup.freeze")
        try processes.write(501, mail, scope: scope)
        try group(scope, "500\n501\n")
        await processes.stopper().stop(found, of: [app])
        #expect(!groups.isFrozen(scope))
        #expect(processes.stopper().findings(for: [app]).map(\.scope) == [nil])
    }

    @Test("X-1: what is in a frozen unit does not run, whichever program it is found for")
    func frozenUnit() throws {
        let scope = "/user.slice/app-chess-1.scope"
        // The same file without the unit's id, as another token or a removed entry leads to it.
        let other = Program(files: app.files)
        try processes.write(500, chess, scope: scope)
        try group(scope, "500\n")
        for programs in [[app, other], [other, app]] {
            #expect(processes.stopper().findings(for: programs).map(\.scope) == [scope])
        }
        try processes.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
        for programs in [[app, other], [other, app], [other]] {
            #expect(processes.stopper().findings(for: programs).isEmpty)
            #expect(processes.stopper().finding(500, for: programs) == nil)
        }
        // One of the same process group that is in another unit.
        try processes.write(501, chess, group: 500)
        let found = processes.stopper().findings(for: [app])
        #expect(found.map(\.identity.pid) == [501])
        try processes.write(501, chess, group: 500, state: "T")
        #expect(processes.stopper().findings(for: [app], besides: found).isEmpty)
    }

    @Test("X-1: so many groups take a few looks at all processes to stop, and not one for each group")
    func manyGroups() async throws {
        // Numbers that the kernel gives to no process, so that no signal comes to one.
        let numbers = Int32(5_000_000)..<5_001_500
        for pid in numbers { try processes.write(pid, chess) }
        let found = processes.stopper().findings(for: [app])
        #expect(Set(found.map(\.identity.pid)) == Set(numbers) && found.allSatisfy { $0.group != nil })
        // They stand still as soon as somebody looks whether they do.
        for pid in numbers { try processes.write(pid, chess, state: "T") }
        // Real time: a look for each group takes minutes.
        let start = ContinuousClock.now
        await processes.stopper().stop(found, of: [app])
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("X-1: a group of so many is examined once, and not once for each of its members")
    func manyMembers() throws {
        let numbers = Int32(5_000_000)..<5_002_000
        for pid in numbers { try processes.write(pid, chess, group: numbers.lowerBound) }
        // Real time: to examine all of them for each of them takes minutes.
        let start = ContinuousClock.now
        let found = processes.stopper().findings(for: [app])
        #expect(Set(found.map(\.identity.pid)) == Set(numbers) && Set(found.map(\.group)).count == 1)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("X-1: a control group with a process that cannot be seen is not frozen")
    func unseenMember() throws {
        let scope = "/user.slice/app-chess-1.scope"
        try processes.write(500, chess, scope: scope)
        // The table lacks process 1, as with `hidepid`; 0 is the number of a process of another namespace.
        for pid in [0, 1] {
            try group(scope, "500\n\(pid)\n")
            #expect(processes.stopper().findings(for: [app]).map(\.scope) == [nil])
        }
    }

    @Test("X-1: the members of a control group are told where it can be frozen")
    func members() throws {
        let groups = processes.controlGroups
        try group("/a", "7\n8\n")
        try group("", "7\n")
        try processes.scratch.write("7\n", to: "cgroup/b/cgroup.procs")
        #expect(groups.members(of: "/a") == [7, 8])
        #expect(groups.members(of: "/") == nil && groups.members(of: "/b") == nil)
        #expect(groups.members(of: "/none") == nil)
        // Freezing a group stops the groups below it, too.
        try group("/c", "7\n")
        #expect(groups.members(of: "/c") == [7])
        try group("/c/inner", "8\n")
        #expect(groups.members(of: "/c") == nil && groups.members(of: "/c/inner") == [8])
        #expect(groups.setFrozen(true, "/a") && !groups.setFrozen(true, "/b"))
    }

    @Test("X-1: a look holds what runs, and who is in a group that is asked for though no program is")
    func looks() throws {
        try processes.write(500, chess)
        try processes.write(501, chess, state: "Z")
        try processes.write(502, mail)
        let look = processes.table.look(for: [app])
        #expect(Set(look.processes.keys) == [500] && !look.isTorn && !look.isSettled)
        #expect(Set(processes.table.look(for: [], and: [502]).processes.keys) == [502])
        #expect(processes.table.process(501)?.user == nil && processes.table.process(502)?.user == 1_000)
        // Numbers that no signal may be sent to.
        for number in [0, 1] as [Int32] {
            try processes.write(503, mail, group: number, session: 7)
            let group = ProcessGroup(number: number, session: 7, leader: nil)
            let members = processes.stopper().members(in: processes.table.all())
            #expect(members(group).isEmpty)
        }
    }

    // MARK: Programs that go from process to process

    /// What the kernel says was started last.
    private func latest(_ pid: Int32) throws {
        try processes.scratch.write("0.1 0.2 0.3 1/200 \(pid)\n", to: "proc/loadavg")
    }

    /// A look during which others are started, and how often it came upon which of the app's processes.
    private func glimpse(
        patience: Duration = .seconds(60),
        finding found: Int32?,
        meanwhile: (Int32) throws -> Void
    ) throws -> (look: ProcessTable.Look, seen: [Int32]) {
        var seen: [Int32] = []
        var failure: (any Error)?
        let look = processes.table.look(for: [app], patience: patience) { process in
            seen.append(process.pid)
            do { try meanwhile(process.pid) } catch { failure = error }
            return process.pid == found
        }
        if let failure { throw failure }
        return (look, seen)
    }

    @Test("X-1: what is started during a look is looked at, the newest first, until one is found")
    func pursues() throws {
        try latest(500)
        try processes.write(500, chess)
        let (look, seen) = try glimpse(finding: 502) { pid in
            guard pid == 500 else { return }
            for number in Int32(501)...503 { try processes.write(number, chess) }
            try latest(503)
        }
        #expect(seen == [500, 503, 502] && look.isTorn && look.isSettled)
        #expect(Set(look.processes.keys) == [500, 502, 503])
    }

    @Test("X-1: when nothing is started any more no process is missing; out of time that is not known")
    func settles() throws {
        try latest(500)
        try processes.write(500, chess)
        let (first, _) = try glimpse(finding: 500) { _ in try latest(501) }
        #expect(!first.isTorn, "it was found before")
        for (number, limit, isSettled) in [(502, 60, true), (504, -1, false)] as [(Int32, Int, Bool)] {
            try latest(500)
            let (look, seen) = try glimpse(patience: .seconds(limit), finding: nil) { pid in
                // One that is gone by the time it is looked at, and one of no concern.
                if pid == 500 {
                    try processes.write(number, mail)
                    try latest(number)
                }
            }
            #expect(seen == [500] && look.isTorn && look.isSettled == isSettled)
            #expect(Set(look.processes.keys) == [500])
        }
    }

    @Test("X-1: the newest two hundred and fifty-seven are looked at, also where numbers start anew")
    func far() throws {
        try latest(500)
        try processes.write(500, chess)
        func isFound(_ number: Int32, latest last: Int32) throws -> Bool {
            try latest(500)
            try? processes.scratch.remove("proc/\(number)")
            let (look, _) = try glimpse(finding: number) { pid in
                guard pid == 500 else { return }
                try processes.write(number, chess)
                try latest(last)
            }
            return look.processes[number] != nil
        }
        #expect(try isFound(744, latest: 1_000))
        try processes.scratch.remove("proc/744")
        #expect(try !isFound(743, latest: 1_000))
        try processes.scratch.remove("proc/743")
        #expect(try isFound(1, latest: 3))
    }
}
#endif
