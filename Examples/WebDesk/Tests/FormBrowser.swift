import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A browser without scripts. It keeps cookies, follows redirects, and posts forms.
final class FormBrowser: NSObject, URLSessionTaskDelegate, Sendable {
    /// A received page.
    struct Page: Sendable {
        var status: Int
        var path: String
        var text: String

        /// The value of a hidden field of the page's form.
        func field(_ name: String) throws -> String {
            let start = try #require(
                text.firstRange(of: "name=\"\(name)\" value=\""),
                "no \(name) in \(text)"
            )
            return String(text[start.upperBound...].prefix { $0 != "\"" })
        }
    }

    private let address: String
    private let cookies = Cookies()

    private actor Cookies {
        var kept: [String: String] = [:]

        func take(_ fields: [String: String], from url: URL) {
            for cookie in HTTPCookie.cookies(withResponseHeaderFields: fields, for: url) {
                kept[cookie.name] = cookie.value
            }
        }

        var line: String { kept.map { "\($0)=\($1)" }.joined(separator: "; ") }
    }

    /// - Parameter address: the site's address, without a slash at its end.
    init(_ address: String) { self.address = address }

    func get(_ path: String) async throws -> Page { try await send("GET", path, nil) }

    /// Posts a form, and follows a redirect.
    func post(_ path: String, _ fields: KeyValuePairs<String, String>) async throws -> Page {
        try await send("POST", path, Self.form(fields))
    }

    /// Types digits on the pad that a page shows.
    func type(_ digits: String, on page: Page) async throws -> Page {
        let keys = digits.map { "&digit=\($0)" }.joined()
        return try await send("POST", "/_lock/input", try known(page) + keys)
    }

    /// Presses a control that a page shows.
    func activate(_ control: String, on page: Page) async throws -> Page {
        let pressed = Self.form(["activate": control])
        return try await send("POST", "/_lock/input", try known(page) + "&" + pressed)
    }

    /// The hidden fields of a page of the lock, as the page posts them.
    private func known(_ page: Page) throws -> String {
        let (name, count) = (try page.field("page"), try page.field("count"))
        return Self.form(["page": name, "count": count, "next": try page.field("next")])
    }

    private static func form(_ fields: KeyValuePairs<String, String>) -> String {
        let allowed = CharacterSet.alphanumerics
        return fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }
        .joined(separator: "&")
    }

    /// Reloads a page for as long as the page asks for it.
    func refreshed(_ page: Page) async throws -> Page {
        var page = page
        let end = ContinuousClock.now + .seconds(60)
        while page.text.contains("http-equiv=\"refresh\"") {
            try #require(ContinuousClock.now < end, "still on \(page.path): \(page.text)")
            try await Task.sleep(for: .milliseconds(50))
            let place = page.text.firstMatch(of: /http-equiv="refresh" content="[0-9]+;url=([^"]*)"/)
            page = try await get(place.map { String($0.1) } ?? page.path)
        }
        return page
    }

    /// Reloads a page until it contains a text.
    func wait(for text: String, on path: String) async throws -> Page {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let page = try await get(path)
            if page.text.contains(text) { return page }
            try #require(ContinuousClock.now < end, "no “\(text)” on \(page.path): \(page.text)")
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func send(_ method: String, _ path: String, _ body: String?) async throws -> Page {
        let url = try #require(URL(string: address + path))
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.httpShouldHandleCookies = false
        request.timeoutInterval = 60
        request.setValue("text/html,*/*", forHTTPHeaderField: "Accept")
        request.setValue("same-origin", forHTTPHeaderField: "Sec-Fetch-Site")
        request.setValue(await cookies.line, forHTTPHeaderField: "Cookie")
        if body != nil {
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        }
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        await cookies.take(answer.allHeaderFields as? [String: String] ?? [:], from: url)
        if (300..<400).contains(answer.statusCode), let place = answer.value(forHTTPHeaderField: "Location") {
            return try await send("GET", place, nil)
        }
        return Page(status: answer.statusCode, path: path, text: String(decoding: data, as: UTF8.self))
    }

    /// The session must not follow a redirect itself, because the response's cookie has to be taken first.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
