#if HummingbirdLock
import HTTPTypes
import HummingbirdTesting
import PortcullisTesting
import Testing

/// The posts of one page of the lock. Each has the next number of the page.
struct PagePosts {
    private let visitor: Visitor
    private let page: String
    private var count = 0

    /// Loads the page.
    init(of visitor: Visitor) async throws {
        self.init(of: visitor, on: try await visitor.page().pageName)
    }

    /// Posts on a page that was loaded, of this name.
    init(of visitor: Visitor, on page: String) {
        (self.visitor, self.page) = (visitor, page)
    }

    /// Posts an act.
    mutating func post(_ fields: String) async throws {
        count += 1
        let body = "page=\(page)&count=\(count)&tab=t&\(fields)"
        let answer = try await visitor.send(.post, "/_lock/input", Visitor.ofScript, body: body)
        #expect(answer.status == .ok)
    }

    /// Posts an act, and waits until the screen shows a text.
    mutating func post(_ fields: String, until text: String) async throws {
        try await post(fields)
        let visitor = visitor
        try await BoundedWait.until(text, every: .milliseconds(1)) {
            try await visitor.page().text.contains(text)
        }
    }

    /// The fields of pressed digits.
    static func keys(_ digits: String) -> String { digits.map { "digit=\($0)" }.joined(separator: "&") }
}
#endif
