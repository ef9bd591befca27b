import CronScheduler
import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Pages of a journal") struct JournalPageTests {
    @Test(
        "S-4: no page is more than a store takes, and each record comes back",
        arguments: [
            (jobs: 30_000, name: 0, boot: 10), (jobs: 3_000, name: 0, boot: 500),
            (jobs: 3_000, name: 500, boot: 0),
        ]
    )
    func pages(_ jobs: Int, _ name: Int, _ boot: Int) async throws {
        let store = InMemorySecretStore()
        let entries = (0..<jobs).map { number in
            // Each of them in a boot of its own, with letters that JSON makes six of.
            let text = "\(number)" + String(repeating: "\u{1}", count: boot)
            let job = ActivityName("job-\(number)" + String(repeating: "\u{1}", count: name))
            let record = RunRecord(
                schedule: .max,
                last: .seconds(4_000_000_000),
                boot: BootID(text),
                ahead: [.microseconds(Int.max - 1), .microseconds(Int.max)]
            )
            return JournalEntry(job: job, record: record)
        }
        try await SecretStoreRunJournal(store).record(entries)
        let found = try await SecretStoreRunJournal(store).records(of: entries.map(\.job))
        #expect(found.count == jobs)
        #expect(entries.allSatisfy { found[$0.job] == $0.record })
        for name in try await store.names(in: .library("schedule")) {
            let value = try #require(try await store.read(name)).value
            #expect(value.count <= 1_048_576, "\(name)")
        }
    }

    @Test("S-4: later times of a record are in its line, and a line without them is read too")
    func laterTimes() async throws {
        let store = InMemorySecretStore()
        let lines = [
            #"{"job":"old","schedule":1,"last":1000000,"boot":0}"#,
            #"{"job":"new","schedule":1,"last":1000000,"boot":0,"ahead":[2000000,3000000]}"#,
        ]
        try await store.write(
            SecretBytes(
                copying: #"{"number":1,"boots":["boot"],"lines":[\#(lines.joined(separator: ","))]}"#.utf8
            ),
            to: SecretName("group-1", in: .library("schedule")),
            accessibility: .afterFirstUnlock
        )
        let journal = SecretStoreRunJournal(store)
        let records = try await journal.records(of: ["old", "new"])
        let boot = BootID("boot")
        #expect(records["old"] == RunRecord(schedule: 1, last: .seconds(1), boot: boot))
        let later = [Duration.seconds(2), .seconds(3)]
        #expect(records["new"] == RunRecord(schedule: 1, last: .seconds(1), boot: boot, ahead: later))
    }

    @Test(
        "S-4: a record is decoded as it was encoded, and may lack later times",
        arguments: [[], [2, 3]] as [[Int]]
    )
    func coding(_ seconds: [Int]) throws {
        let record = RunRecord(
            schedule: 1,
            last: .seconds(1),
            boot: BootID("boot"),
            ahead: seconds.map { .seconds($0) }
        )
        var text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        if seconds.isEmpty {
            text = text.replacing(#""ahead":[],"#, with: "").replacing(#","ahead":[]"#, with: "")
            #expect(!text.contains("ahead"))
        }
        #expect(try JSONDecoder().decode(RunRecord.self, from: Data(text.utf8)) == record)
    }

    @Test("S-4: a page with the largest number is damaged, because no page can follow it")
    func largestNumber() async throws {
        let store = InMemorySecretStore()
        try await store.write(
            SecretBytes(copying: #"{"number":18446744073709551615,"boots":[],"lines":[]}"#.utf8),
            to: SecretName("group-18446744073709551615", in: .library("schedule")),
            accessibility: .afterFirstUnlock
        )
        let error = await #expect(throws: RunJournalError.self) {
            _ = try await SecretStoreRunJournal(store).records(of: ["job"])
        }
        #expect(error?.code == .damaged)
    }
}
