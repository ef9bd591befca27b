import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests as any client would, and checks each exchange against the server's OpenAPI document.
final class APIClient: Sendable {
    struct Reply: @unchecked Sendable {
        var status: Int
        /// The fields, by their names in lower case.
        var fields: [String: String]
        var body: Data
        // The parsed JSON is never changed.
        var json: [String: Any]? { try? JSONSerialization.jsonObject(with: body) as? [String: Any] }

        var type: String { fields["content-type"] ?? "" }
        var text: String { String(decoding: body, as: UTF8.self) }
        var outcome: String? { json?["outcome"] as? String }
        /// The identifier that has to be sent back with a code.
        var request: String { json?["request"] as? String ?? "" }
        var problem: String? { (json?["type"] as? String)?.split(separator: ":").last.map(String.init) }
    }

    let url: URL
    private let session: URLSession
    private let document: APIDocument

    init(port: Int) async throws {
        url = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let settings = URLSessionConfiguration.ephemeral
        settings.httpMaximumConnectionsPerHost = 16
        settings.urlCache = nil
        session = URLSession(configuration: settings)
        let (data, _) = try await session.data(for: URLRequest(url: url.appending(path: "openapi.json")))
        document = try APIDocument(data)
    }

    deinit { session.invalidateAndCancel() }

    var operations: [(method: String, path: String)] { document.operations }

    @discardableResult
    func send(
        _ method: String = "POST",
        _ path: String,
        _ body: String? = nil,
        token: String? = nil,
        fields: [String: String] = [:]
    ) async throws -> Reply {
        var request = URLRequest(url: url.appending(path: path))
        request.httpMethod = method
        request.timeoutInterval = 120
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await session.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        var all: [String: String] = [:]
        for (name, value) in answer.allHeaderFields { all["\(name)".lowercased()] = "\(value)" }
        let reply = Reply(status: answer.statusCode, fields: all, body: data)
        for fault in document.faults(method, path, request.httpBody, reply) { Issue.record("\(fault)") }
        return reply
    }

    // MARK: What people do

    func auth(_ name: String, _ body: String, token: String? = nil) async throws -> Reply {
        try await send("POST", "/api/auth/\(name)", body, token: token)
    }

    func status(_ token: String) async throws -> Reply {
        try await send("GET", "/api/auth/passcode-status", token: token)
    }

    func verify(_ passcode: String, _ token: String) async throws -> Reply {
        try await auth("verify-passcode", #"{"passcode":"\#(passcode)"}"#, token: token)
    }

    func set(_ passcode: String, _ token: String, as revision: String = "r1") async throws -> Reply {
        try await auth(
            "set-passcode",
            #"{"passcode":"\#(passcode)","revision":"\#(revision)"}"#,
            token: token
        )
    }

    /// Signs a person in with the code that `mailed` finds.
    ///
    /// - Returns: the session's token.
    func signIn(
        _ email: String = "anna@example.com",
        _ role: String = "staff",
        mailed: () async throws -> String
    ) async throws -> String {
        let reply = try await answerToSignIn(email, role, mailed: mailed)
        #expect(reply.status == 200)
        return try #require(reply.json?["token"] as? String)
    }

    /// Signs a person in, and returns the server's whole answer.
    func answerToSignIn(
        _ email: String,
        _ role: String,
        mailed: () async throws -> String
    ) async throws -> Reply {
        let who = #""email":"\#(email)","role":"\#(role)""#
        let requested = try await auth("request-sign-in", "{\(who)}")
        // If no code was requested, no mail would arrive, and the wait for it would not end.
        try #require(requested.status == 202)
        let code = #""code":"\#(try await mailed())","request":"\#(requested.request)""#
        return try await auth("sign-in", "{\(who),\(code)}")
    }
}
