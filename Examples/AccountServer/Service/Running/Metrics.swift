internal import Synchronization

/// The server's counts, in the text format of Prometheus.
final class Metrics: Sendable {
    private struct Request: Hashable {
        var method: String
        var route: String
        var status: Int
    }

    private struct State {
        var requests: [Request: Int] = [:]
        var seconds: [String: (sum: Double, count: Int)] = [:]
        var mails: [String: Int] = [:]
        var mailsUnsent = 0
    }

    private let state = Mutex(State())

    /// Counts an answered request; `route` is a route of the server, never a path from a client.
    func countRequest(_ method: String, _ route: String, _ status: Int, _ time: Duration) {
        state.withLock { state in
            state.requests[Request(method: method, route: route, status: status), default: 0] += 1
            let so = state.seconds[route] ?? (0, 0)
            state.seconds[route] = (so.sum + time / .seconds(1), so.count + 1)
        }
    }

    /// Counts a mail that has to be sent.
    func mailBegan() { state.withLock { $0.mailsUnsent += 1 } }

    /// Counts a mail that was sent, failed or was dropped.
    func mailEnded(_ result: String) {
        state.withLock { state in
            state.mailsUnsent -= 1
            state.mails[result, default: 0] += 1
        }
    }

    /// Returns all counts as text.
    func text(_ load: (inside: Int, refused: Int), _ connections: (open: Int, refused: Int)) -> String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + samples.sorted()
        }
        family(
            "account_server_requests_total",
            "counter",
            "Requests by method, route and status.",
            state.requests.map {
                "account_server_requests_total{method=\"\($0.method)\",route=\"\($0.route)\",status=\"\($0.status)\"} \($1)"
            }
        )
        family(
            "account_server_request_seconds",
            "summary",
            "Time taken for requests by route.",
            state.seconds.flatMap {
                [
                    "account_server_request_seconds_count{route=\"\($0)\"} \($1.count)",
                    "account_server_request_seconds_sum{route=\"\($0)\"} \($1.sum)",
                ]
            }
        )
        family(
            "account_server_mails_total",
            "counter",
            "Mails by what became of them.",
            state.mails.map { "account_server_mails_total{result=\"\($0)\"} \($1)" }
        )
        family(
            "account_server_mails_unsent",
            "gauge",
            "Mails that wait or are being sent.",
            ["account_server_mails_unsent \(state.mailsUnsent)"]
        )
        family(
            "account_server_derivations",
            "gauge",
            "Requests that derive a key or wait for it.",
            ["account_server_derivations \(load.inside)"]
        )
        family(
            "account_server_derivations_refused_total",
            "counter",
            "Requests refused because too many waited.",
            ["account_server_derivations_refused_total \(load.refused)"]
        )
        family(
            "account_server_connections",
            "gauge",
            "Open connections.",
            ["account_server_connections \(connections.open)"]
        )
        family(
            "account_server_connections_refused_total",
            "counter",
            "Connections refused because too many were open.",
            ["account_server_connections_refused_total \(connections.refused)"]
        )
        return lines.joined(separator: "\n") + "\n"
    }
}
