#if HummingbirdLock
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// `Described/lock-routes.json` is the description (OpenAPI 3.1); `.ci/web-fuzz` holds a running server to it at greater length.
@Suite("The lock's own addresses are as described (W-2)", .timeLimit(.minutes(5)))
struct DescribedRouteTests {
    private struct Operation: Sendable {
        let method: HTTPRequest.Method
        let path: String
        /// The types of content for each status; none where nothing is said of it.
        let answers: [Int: Set<String>]
    }

    private static func operations() throws -> [Operation] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Described/lock-routes.json")
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let paths = try #require(document?["paths"] as? [String: [String: [String: Any]]])
        return paths.flatMap { path, methods in
            methods.compactMap { method, parts in
                guard let answers = parts["responses"] as? [String: [String: Any]],
                    let method = HTTPRequest.Method(rawValue: method.uppercased())
                else { return nil }
                let types = answers.map { status, answer in
                    (Int(status) ?? 0, Set((answer["content"] as? [String: Any] ?? [:]).keys))
                }
                return Operation(
                    method: method,
                    path: path.replacing("{id}", with: "none"),
                    answers: Dictionary(types) { first, _ in first }
                )
            }
        }
    }

    private static let origins: [HTTPFields] = [
        [:], Visitor.navigation, Visitor.ofScript, [.init("Sec-Fetch-Site")!: "cross-site"],
    ]
    private static let bodies: [String?] = [
        nil, "tab=t&isVisible=1&isActive=0&hasPasskeys=0&since=0", "page=unknown&count=1&digit=1",
        "{\"error\":\"x\"}",
        "count=%%%", "=", "tab=\(String(repeating: "x", count: 70_000))",
    ]

    @Test(
        "W-2: signed out, unlocked and locked, whatever the origin and the body, no address answers anything else"
    )
    func answers() async throws {
        let operations = try Self.operations()
        #expect(operations.count == 8)
        for operation in operations {
            let bench = WebBench()
            try await bench.setPasscode()
            try await Application(router: bench.router).test(.router) { client in
                try await expectDescribed(operation, Visitor(client: client))
                // A stream does not end; its tests are others.
                guard operation.path != "/_lock/stream" else { return }
                let visitor = try await Visitor.signedIn(client)
                try await expectDescribed(operation, visitor)
                try await visitor.lockNow()
                try await expectDescribed(operation, visitor)
            }
        }
    }

    private func expectDescribed(_ operation: Operation, _ visitor: Visitor) async throws {
        for origin in Self.origins {
            for body in Self.bodies {
                let answer = try await visitor.send(operation.method, operation.path, origin, body: body)
                let types = operation.answers[Int(answer.status.code)]
                let found = answer.headers[.contentType].map { $0.prefix { $0 != ";" } }.map(String.init)
                let isDescribed = types.map { $0.isEmpty || found.map($0.contains) == true } ?? false
                #expect(
                    isDescribed,
                    "\(operation.method) \(operation.path) \(origin) \(body?.prefix(40) ?? "-"): \(answer.status) \(found ?? "-")"
                )
            }
        }
    }
}
#endif
