#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

/// Units that a controller has frozen and not examined again, because it died.
@Suite("Frozen units that others have entered", .timeLimit(.minutes(5)))
struct FrozenUnitTests {
    private let scope = "/user.slice/app-chess-1.scope"
    private let processes: ProcessFolder
    private let groups: ControlGroups

    init() throws {
        processes = try ProcessFolder()
        groups = processes.controlGroups
    }

    private func freeze(_ members: [Int32]) throws {
        try processes.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
        let lines = members.map { "\($0)\n" }
        try processes.scratch.write(lines.joined(), to: "cgroup\(scope)/cgroup.procs")
    }

    @Test("X-1: a frozen unit is thawed where all in it are seen, the app and one that it did not start")
    func thawed() throws {
        let chess = try processes.scratch.write("chess", to: "bin/chess", mode: 0o755)
        let mail = try processes.scratch.write("mail", to: "bin/mail", mode: 0o755)
        let app = Program(files: [try #require(FileID(path: chess)): chess], unitID: "chess")
        try processes.write(500, chess, scope: scope)
        try processes.write(501, mail, parent: 500, scope: scope)
        for pid in Int32(502)...503 { try processes.write(pid, mail, scope: scope) }
        try processes.scratch.write("Uid:\t7\t7\n", to: "proc/503/status")
        // The table lacks process 1, as with `hidepid`. The kernel gives the last number to no process.
        for (members, isFrozen) in [
            ([500, 501], true), ([500, 501, 502], false), ([502], true), ([500, 502, 503], true),
            ([500, 502, 1], true), ([500, 502, 5_000_009], false), ([500, 5_000_009], true),
        ] as [([Int32], Bool)] {
            let stopper = processes.stopper()
            try freeze(members)
            let thawed = stopper.thaw(enteredAmong: [scope], of: [app])
            #expect(thawed == (isFrozen ? [] : [scope]), "\(members)")
            #expect(groups.isFrozen(scope) == isFrozen, "\(members)")
        }
    }

    @Test(
        "X-1: the next controller thaws a unit that a stranger has entered, and stops the app alone",
        arguments: [["chess.desktop"], ["post.desktop"], ["chess.desktop", "post.desktop"], []]
    )
    func adopted(apps: [String]) async throws {
        let isFound = apps == ["chess.desktop"]
        let bench = try ShieldBench()
        // Numbers that the kernel gives to no process, so that no signal comes to one.
        let chess: Int32 = 5_000_001
        let mail: Int32 = 5_000_002
        try processes.write(chess, bench.chess, scope: scope)
        try processes.write(mail, bench.mail, scope: scope)
        try processes.write(getpid(), "/opt/shielder")
        try freeze([chess, mail])
        var configuration = bench.configuration
        configuration.users = [1_000]
        configuration.processFolder = processes.table.folder
        configuration.controlGroupFolder = groups.folder
        let records = ShieldRecordStore(store: bench.store, configuration: configuration)
        let selection = ShieldSelection(apps: [AppToken("chess.desktop")])
        // An entry of another app may be of a controller with another catalogue, which finds both apps. An
        // entry of an earlier version of the format has no apps.
        let entries = [(chess, ["chess.desktop"]), (mail, apps)].map { (pid: Int32, apps: [String]) in
            StoppedProcess(
                .init(pid: pid, start: 5),
                scope: scope,
                for: ShieldSelection(apps: Set(apps.map(AppToken.init)))
            )
        }
        _ = try await records.change { record in
            record.shields[bench.daily] = selection
            record.shields[ShieldName("post")] = ShieldSelection(apps: [AppToken("post.desktop")])
            record.stopped = Set(entries)
        }
        // The second read takes the unit from the record. The fourth read comes after the signals, whose
        // effect the table has to show.
        let store = InterruptedSecretStore(bench.store, before: .read, number: 3) { [processes, scope] in
            _ = try? processes.write(chess, bench.chess, state: "T", scope: scope)
        }
        let shield = ProcessShield(store: store, configuration: configuration)
        try await shield.reconcile()
        #expect(groups.isFrozen(scope) != isFound)
        let stopped = try await records.read().stopped
        // Another controller learns of the thawing from its entries.
        #expect(stopped.filter { $0.scope != nil }.count == (isFound ? 0 : 2))
        let alone = stopped.filter { $0.scope == nil }
        #expect(alone.map(\.identity.pid) == (isFound ? [chess] : []))
    }
}
#endif
