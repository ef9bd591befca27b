import EtcdStore
import Logging
import PortcullisCore
import PortcullisTesting
import Testing

@testable import account_server
import AccountService

@Suite("What the server logs and counts of its cluster")
struct StoreWatchTests {
    private static let node = EtcdEndpoint(host: "10.0.0.1", port: 2379, isSecure: true)

    @Test(
        "F-2: each failure is a line of the log and a count, under its code",
        arguments: [
            .etcdOverloaded, .etcdSlow, .etcdNoSpace, .etcdCertificateExpired, .etcdCertificateRefused,
            .etcdWrongPassword, .etcdUnreachable, .etcdNoLeader,
        ] as [SecretStoreErrorCode]
    )
    func failures(_ code: SecretStoreErrorCode) {
        let (watch, log) = make()
        let attempts = #"account_server_etcd_attempts_failed_total{code="\#(code.name)"} "#
        let calls = #"account_server_etcd_calls_failed_total{code="\#(code.name)"} "#
        #expect(!watch.text.contains(attempts) && !watch.text.contains(calls))
        for _ in 0..<2 { watch.take(.attemptFailed(node: Self.node, code: code)) }
        watch.take(.callFailed(code: code))
        #expect(watch.text.contains("\n\(attempts)2\n") && watch.text.contains("\n\(calls)1\n"))
        #expect(log.text.contains(#""code":"\#(code.name)""#))
        #expect(log.text.contains(#""level":"error","message":"etcd call failed""#))
        #expect(log.text.contains(#""message":"etcd attempt failed","node":"https://10.0.0.1:2379""#))
    }

    @Test(
        "F-2: a watch that was interrupted or compacted, and a change that was found, are logged and counted"
    )
    func watches() {
        let (watch, log) = make()
        watch.take(.watchInterrupted(node: Self.node, code: .etcdUnreachable))
        watch.take(.watchCompacted)
        watch.take(.watchCompacted)
        watch.take(.outcomeFound)
        let counts = "account_server_etcd_watch_interruptions_total"
        #expect(watch.text.contains("\n\(counts){code=\"etcdStore.unreachable\"} 1\n"))
        #expect(watch.text.contains("\n\(counts){code=\"etcdStore.compacted\"} 2\n"))
        #expect(watch.text.contains("\naccount_server_etcd_outcomes_found_total 1\n"))
        for message in [
            "etcd watch interrupted", "etcd watch was compacted", "etcd outcome found by looking",
        ] {
            #expect(log.text.contains(#""message":"\#(message)""#), "\(message)")
        }
    }

    @Test("F-3: the first judgement of the clock, and each of another kind than the last, is logged")
    func clock() {
        let (watch, log) = make()
        func lines() -> Int { log.text.count { $0 == "\n" } }
        #expect(watch.text.contains("\naccount_server_clock_trusted 0\n"))
        watch.judged(.apart(.seconds(3_600)))
        #expect(log.text.contains(#""level":"error","message":"requests are not answered""#))
        #expect(lines() == 1 && watch.text.contains("\naccount_server_clock_trusted 0\n"))
        watch.judged(.apart(.seconds(3_601)))
        #expect(lines() == 1)
        watch.judged(.disagreeing(.seconds(3_601)))
        #expect(lines() == 2)
        for _ in 0..<2 { watch.judged(nil) }
        #expect(lines() == 3 && log.text.contains("the clock is to be trusted"))
        #expect(watch.text.contains("\naccount_server_clock_trusted 1\n"))
        watch.judged(.unknown)
        #expect(lines() == 4)
    }

    private func make() -> (StoreWatch, LineLog) {
        let (log, clock) = (LineLog(), ManualClock())
        let logger = Logger(label: "watch") { _ in
            JSONLogHandler(level: .trace, now: { clock.now.wall }, sink: { log.add($0) })
        }
        return (StoreWatch(logger), log)
    }
}
