internal import AccountService
internal import EtcdStore
internal import Logging
internal import PortcullisCore
internal import Synchronization

/// Logs and counts the events of the store on the cluster, and the judgements of this server's clock.
final class StoreWatch: Sendable {
    private struct State {
        var attempts: [String: Int] = [:]
        var calls: [String: Int] = [:]
        var watches: [String: Int] = [:]
        var found = 0
        var isClockJudged = false
        /// What is wrong with the clock, by the last judgement.
        var objection: ClockRule.Objection.Kind?
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) { self.logger = logger }

    func take(_ event: EtcdEvent) {
        switch event {
        case .attemptFailed(let node, let code):
            state.withLock { $0.attempts[code.name, default: 0] += 1 }
            logger.warning("etcd attempt failed", metadata: ["node": "\(node)", "code": "\(code)"])
        case .callFailed(let code):
            state.withLock { $0.calls[code.name, default: 0] += 1 }
            logger.error("etcd call failed", metadata: ["code": "\(code)"])
        case .outcomeFound:
            state.withLock { $0.found += 1 }
            logger.notice("etcd outcome found by looking")
        case .watchInterrupted(let node, let code):
            state.withLock { $0.watches[code.name, default: 0] += 1 }
            logger.warning("etcd watch interrupted", metadata: ["node": "\(node)", "code": "\(code)"])
        case .watchCompacted:
            state.withLock { $0.watches["etcdStore.compacted", default: 0] += 1 }
            logger.notice("etcd watch was compacted")
        }
    }

    /// Notes a judgement of the clock; `nil` if the clock is to be trusted. A judgement is logged if the one
    /// before was of another kind. The differences change all the time.
    func judged(_ objection: ClockRule.Objection?) {
        let isNew = state.withLock { state in
            defer { (state.isClockJudged, state.objection) = (true, objection?.kind) }
            return !state.isClockJudged || state.objection != objection?.kind
        }
        guard isNew else { return }
        if let objection {
            logger.error("requests are not answered", metadata: ["reason": "\(objection)"])
        } else {
            logger.notice("the clock is to be trusted")
        }
    }

    /// The counts in the text format of Prometheus.
    var text: String {
        let state = state.withLock { $0 }
        let isTrusted = state.isClockJudged && state.objection == nil
        func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) -> String {
            (["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + samples.sorted()).joined(separator: "\n")
                + "\n"
        }
        func coded(_ name: String, _ help: String, _ counts: [String: Int]) -> String {
            family(name, "counter", help, counts.map { "\(name){code=\"\($0.key)\"} \($0.value)" })
        }
        return coded(
            "account_server_etcd_attempts_failed_total",
            "Attempts at a node that failed, by code.",
            state.attempts
        )
            + coded(
                "account_server_etcd_calls_failed_total",
                "Calls of the cluster that failed in the end, by code.",
                state.calls
            )
            + coded(
                "account_server_etcd_watch_interruptions_total",
                "Interruptions of the watch of changes, by code.",
                state.watches
            )
            + family(
                "account_server_etcd_outcomes_found_total",
                "counter",
                "Changes that were not answered and were found to be made.",
                ["account_server_etcd_outcomes_found_total \(state.found)"]
            )
            + family(
                "account_server_clock_trusted",
                "gauge",
                "Whether the clock is near enough to those of the other servers.",
                ["account_server_clock_trusted \(isTrusted ? 1 : 0)"]
            )
    }
}
