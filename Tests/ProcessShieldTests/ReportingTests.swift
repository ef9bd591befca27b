#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Telling how things stand", .timeLimit(.minutes(5)))
    struct ReportingTests {
        private func record(_ bench: ShieldBench) async throws -> ShieldRecord {
            try await ShieldRecordStore(store: bench.store, configuration: bench.configuration).read()
        }

        @Test("X-1: a report says what is up and how many are stopped, to any process, and changes nothing")
        func reports() async throws {
            let bench = try ShieldBench()
            #expect(
                try await bench.next().report()
                    == ShieldReport(coverage: .init(), isAttended: false, frozen: 0, signalled: 0)
            )
            let chess = try [Child(bench.chess, ["60"]), Child(bench.chess, ["60"])]
            try await bench.apply("chess.desktop", "nothing.desktop", "\(bench.scratch.path)/bin/bash")
            let report = try await bench.next().report()
            #expect(report.coverage == (await bench.shield.coverage()))
            #expect(report.isAttended && report.signalled == 2 && report.frozen == 0 && report.stopped == 2)
            // One that a controller would stop, and one that it would let go on. Where starts are seen by opened files,
            // the watch looks for half a second after each, and would stop it again.
            await bench.shield.guards?.end()
            kill(chess[0].pid, SIGCONT)
            await chess[0].wait { !$0.isStopped }
            let before = try await record(bench)
            let later = try await bench.next().report()
            #expect(later.signalled == 1)
            #expect(!chess[0].isStopped && chess[1].isStopped)
            #expect(try await record(bench) == before)
            try await bench.shield.reconcile()
            #expect(chess[0].isStopped)
        }

        @Test(
            "X-1: a report counts what was stopped in another namespace of processes, and a release keeps it"
        )
        func elsewhere() async throws {
            let bench = try ShieldBench()
            let own = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            let other = ShieldRecordStore(
                store: bench.store,
                namespace: ProcessShield.namespace,
                boot: own.boot,
                processes: "pid:[1]"
            )
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            _ = try await other.change { $0.stopped = [StoppedProcess(identity: .init(pid: 7, start: 9))] }
            #expect(try await bench.next().report().stoppedElsewhere == 1)
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped)
            let report = try await bench.next().report()
            #expect(report.stopped == 0 && report.stoppedElsewhere == 1)
            #expect(try await other.read().stopped.count == 1)
        }

        @Test("X-1: names without their ending, and a category's label, are found in the catalogue")
        func names() async throws {
            let bench = try ShieldBench()
            let listed = try #require(await bench.shield.catalogue())
            let game = try #require(listed.categories.first { $0.token == CategoryToken("Game") })
            var found = try await bench.shield.selection(apps: ["chess"], categories: [])
            #expect(found.apps == [AppToken("chess.desktop")])
            found = try await bench.shield.selection(apps: [], categories: [game.label])
            #expect(found.categories == [game.token])
        }

        @Test("X-1: a report tells when nobody looks after the shields")
        func unattended() async throws {
            let bench = try ShieldBench()
            let store = bench.store
            let records = ShieldRecordStore(store: store, configuration: bench.configuration)
            let ended = try Child(bench.mail, ["60"])
            let identity = try #require(ProcessTable().process(ended.pid)).identity
            _ = try await records.change { record in
                record.shields[ShieldName("daily")] = ShieldSelection(apps: [AppToken("chess.desktop")])
                record.keepers = [ShieldKeeper(identity: identity, denies: true)]
            }
            let report = try await bench.shield.report()
            #expect(report.isAttended)
            #expect(
                report.coverage.apps == [AppToken("chess.desktop"): .gated],
                "as the keeper's gate has it"
            )
            ended.end()
            let later = try await bench.shield.report()
            #expect(!later.isAttended)
            #expect(
                later.coverage.apps == [AppToken("chess.desktop"): .reactive],
                "as this one would have it"
            )
            #expect(later.coverage.applied.count == 1)
        }

        @Test("X-1: a report of one without a gate tells of another's that looks after the same shields")
        func othersGate() async throws {
            let bench = try ShieldBench()
            try await bench.apply("chess.desktop")
            let states = { (state: ShieldCoverage.State) in [AppToken("chess.desktop"): state] }
            #expect(try await bench.shield.report().coverage.apps == states(.reactive))
            let other = try Child(bench.mail, ["60"])
            let identity = try #require(ProcessTable().process(other.pid)).identity
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            _ = try await records.change { $0.keepers.insert(ShieldKeeper(identity: identity, denies: true)) }
            #expect(try await bench.shield.report().coverage.apps == states(.gated))
        }

        @Test("X-1: what a launcher runs is not told as denied, whether or not other starts are")
        func launched() async throws {
            let bench = try ShieldBench()
            try bench.scratch.copy("/bin/sleep", to: "bin/perl")
            try bench.scratch.write(
                "[Desktop Entry]\nName=Go\nExec=perl -e go\n",
                to: "applications/go.desktop"
            )
            try await bench.apply("chess.desktop", "go.desktop")
            var states: [AppToken: ShieldCoverage.State] = [
                AppToken("chess.desktop"): .reactive, AppToken("go.desktop"): .reactive,
            ]
            #expect(await bench.shield.coverage().apps == states)
            #expect(try await bench.shield.report().coverage.apps == states)
            let other = try Child(bench.mail, ["60"])
            let identity = try #require(ProcessTable().process(other.pid)).identity
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            _ = try await records.change { $0.keepers.insert(ShieldKeeper(identity: identity, denies: true)) }
            states[AppToken("chess.desktop")] = .gated
            #expect(try await bench.shield.report().coverage.apps == states)
        }

        @Test("X-1: a shield of another name that another process puts up is told here too")
        func otherName() async throws {
            let bench = try ShieldBench()
            try await bench.apply("chess.desktop")
            try await bench.next().apply(
                ShieldSelection(apps: [AppToken("chess.desktop")]),
                as: ShieldName("other")
            )
            try await BoundedWait.until(every: .milliseconds(5)) {
                await bench.shield.coverage().applied.count == 2
            }
        }

        @Test("A-11: an unreadable record is an error of the report, and a problem for those who listen")
        func unreadable() async throws {
            let bench = try ShieldBench()
            let events = await bench.shield.events()
            bench.store.failNext(.read, with: SecretStoreError(code: .damaged, message: "damaged"))
            let error = await #expect(throws: ShieldError.self) { try await bench.shield.report() }
            #expect(error?.code == .stateUnreadable)
            bench.store.failNext(.read, with: SecretStoreError(code: .damaged, message: "damaged"))
            #expect(await bench.shield.coverage() == ShieldCoverage())
            var listened = events.makeAsyncIterator()
            guard case .problem(let problem) = await listened.next() else {
                Issue.record("no problem was told")
                return
            }
            #expect(problem.code == .stateUnreadable)
        }

        @Test(
            "X-1: what a token names is told before anything is done: known, unknown, unresolved or refused"
        )
        func standings() async throws {
            let bench = try ShieldBench()
            try bench.scratch.write(
                "[Desktop Entry]\nType=Application\nName=Gone\nExec=gone\nCategories=Science;\n",
                to: "applications/gone.desktop"
            )
            try bench.scratch.write("text", to: "bin/text")
            func standing(_ app: String) async -> ShieldTokenStanding {
                await bench.shield.standing(of: AppToken(app))
            }
            #expect(await standing("chess.desktop") == .known)
            #expect(await standing("chess") == .known)
            #expect(await standing(bench.chess) == .known)
            #expect(await standing("chest.desktop") == .unknown)
            #expect(await standing("/nowhere/chess") == .unknown)
            #expect(await standing("gone.desktop") == .unresolved(reason: "its program is not installed"))
            #expect(
                await standing("\(bench.scratch.path)/bin/text")
                    == .unresolved(reason: "it is no program that can be started")
            )
            #expect(await standing("\(bench.scratch.path)/bin/bash") == .refused(reason: "it is a shell"))
            func category(_ name: String) async -> ShieldTokenStanding {
                await bench.shield.standing(of: CategoryToken(name))
            }
            #expect(await category("Game") == .known)
            #expect(await category("games") == .known)
            #expect(await category("Gmae") == .unknown)
            #expect(
                await category("Graphics") == .unresolved(reason: "no app of this category is installed")
            )
        }

        @Test("X-1: who listens hears which app was started and stopped")
        func events() async throws {
            let bench = try ShieldBench()
            let events = await bench.shield.events()
            try await bench.apply("chess.desktop")
            let chess = try Child(bench.chess, ["60"])
            await chess.wait { $0.isStopped }
            var listened = events.makeAsyncIterator()
            guard case .stopped(let app) = await listened.next() else {
                Issue.record("nothing was told")
                return
            }
            #expect(app == AppToken("chess.desktop"))
            try await BoundedWait.until(every: .milliseconds(5)) { await bench.shield.starts.isEmpty }
        }

        @Test("X-1: the latest sixty-four events are kept for who is busy, and end with the shield")
        func kept() async throws {
            let bench = try ShieldBench()
            var shield: ProcessShield? = bench.next()
            let events = try #require(await shield?.events())
            for number in 0..<100 {
                let problem = ShieldError(code: .systemFailure, message: "\(number)")
                await shield?.tell(.problem(problem))
            }
            shield = nil
            var told: [String] = []
            for await event in events {
                if case .problem(let problem) = event { told.append(problem.message) }
            }
            #expect(told == (36..<100).map { "\($0)" })
        }

        @Test("X-1: the kernel is asked for no watch before there is a shield")
        func guards() async throws {
            let bench = try ShieldBench()
            #expect(await bench.shield.coverage() == ShieldCoverage())
            #expect(await bench.shield.guards == nil)
        }

        @Test(
            "A-11: a store that fails once when a program starts is told as a problem, and the program is stopped"
        )
        func problem() async throws {
            let bench = try ShieldBench()
            try await bench.apply("chess.desktop")
            let events = await bench.shield.events()
            bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            let chess = try Child(bench.chess, ["60"])
            #expect(await chess.wait { $0.isStopped } != nil)
            var listened = events.makeAsyncIterator()
            guard case .problem(let problem) = await listened.next() else {
                Issue.record("no problem was told")
                return
            }
            #expect(problem.code == .stateUnreadable)
        }

        @Test("X-1: a start that is denied again before there was time to tell of it is told of once")
        func flood() async throws {
            let bench = try ShieldBench()
            try await bench.apply("chess.desktop")
            let file = try #require(FileID(path: bench.chess))
            let shield = bench.shield
            for _ in 0..<2 {
                let events = await shield.events()
                await shield.deny(file, times: 1_000)
                try await BoundedWait.until(every: .milliseconds(5)) { shield.denials.withLock(\.isEmpty) }
                await shield.tell(.problem(ShieldError(code: .systemFailure, message: "the end")))
                var told = 0
                for await event in events {
                    guard case .denied = event else { break }
                    told += 1
                }
                #expect(told == 1)
            }
        }

        @Test("A-11: a store that fails when what the last shield kept goes on is made up for at once")
        func lastShield() async throws {
            let bench = try ShieldBench()
            // The first write puts the shield up, and the second takes it down. The third one forgets what has gone on.
            let store = InterruptedSecretStore(bench.store, before: .write, number: 2) {
                bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            let chess = try Child(bench.chess, ["60"])
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(chess.isStopped)
            let events = await shield.events()
            try await shield.clear(bench.daily)
            #expect(!chess.isStopped)
            #expect(try await record(bench).stopped.isEmpty)
            await shield.tell(.problem(ShieldError(code: .systemFailure, message: "the end")))
            var codes: [ShieldErrorCode] = []
            for await event in events {
                guard case .problem(let error) = event else { continue }
                codes.append(error.code)
                if error.message == "the end" { break }
            }
            #expect(codes == [.stateUnreadable, .systemFailure])
        }

        @Test("A-11: a store that fails when a program starts is told as a problem, and made up for later")
        func problems() async throws {
            let bench = try ShieldBench()
            try await bench.apply("chess.desktop")
            let events = await bench.shield.events()
            // The start writes twice: for the one that was seen, and for all that is found.
            for _ in 0..<2 {
                bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            }
            let first = try Child(bench.chess, ["60"])
            var listened = events.makeAsyncIterator()
            guard case .problem(let problem) = await listened.next() else {
                Issue.record("no problem was told")
                return
            }
            #expect(problem.code == .stateUnreadable)
            guard case .problem = await listened.next() else {
                Issue.record("of the two only one was told")
                return
            }
            let second = try Child(bench.chess, ["60"])
            #expect(await second.wait { $0.isStopped } != nil)
            #expect(await first.wait { $0.isStopped } != nil)
        }
    }
}

extension ProcessShield {
    /// Notices denials with no time to tell of one in between.
    fileprivate func deny(_ file: FileID, times: Int) {
        for _ in 0..<times { notice(.denied(file)) }
    }
}
#endif
