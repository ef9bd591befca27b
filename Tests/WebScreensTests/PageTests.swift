import Foundation
import LockScreens
import Testing
import WebScreens

@Suite("Pages (W-1)", .timeLimit(.minutes(5)))
struct PageTests {
    private func page(_ content: ScreenContent) -> String {
        WebPage(base: "/_lock/", id: "page", next: "/next").html(WebScreen(content))
    }

    /// The file is what the module wrote when a person last looked at it; `PORTCULLIS_APPROVE=1` writes it anew.
    @Test("W-1: each screen is the approved one", arguments: Contents.all.map(\.name))
    func approved(name: String) throws {
        let content = try #require(Contents.all.first { $0.name == name }?.content)
        let found = lines(page(content))
        if ProcessInfo.processInfo.environment["PORTCULLIS_APPROVE"] != nil {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Approved")
            try Data(found.utf8).write(to: folder.appending(path: "\(name).html"))
            return
        }
        let file = try #require(
            Bundle.module.url(forResource: name, withExtension: "html", subdirectory: "Approved")
        )
        let wanted = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let differing = zip(found.split(separator: "\n"), wanted.split(separator: "\n")).first { $0 != $1 }
        #expect(found == wanted, "first difference: \(differing.map { "\($0.0) for \($0.1)" } ?? "the end")")
    }

    private func lines(_ html: String) -> String {
        // Names of files have a digest in them, which changes with each of their bytes.
        var html = html
        for asset in WebAsset.all { html.replace(asset.digest, with: "0") }
        return html.replacing("><", with: ">\n<") + "\n"
    }

    @Test("W-1: every tag is closed, every id is there once, and every name that is referred to is there")
    func wellFormed() {
        for (name, content) in Contents.all {
            let tokens = readHTML(page(content))
            var open: [String] = []
            for tag in tokens.tags where !["!doctype", "meta", "link", "input"].contains(tag) {
                if tag.hasPrefix("/") {
                    let last = open.popLast()
                    #expect(last == String(tag.dropFirst()), "\(name)")
                } else {
                    open.append(tag)
                }
            }
            #expect(open.isEmpty, "\(name): \(open)")
            let ids = tokens.attributes.compactMap { $0["id"] }
            #expect(Set(ids).count == ids.count, "\(name): \(ids)")
            for attributes in tokens.attributes {
                for key in ["aria-labelledby", "aria-describedby"] {
                    if let id = attributes[key] { #expect(ids.contains(id), "\(name): \(id)") }
                }
            }
        }
    }

    @Test("W-1: every button says what it does to a form, and to a screen reader")
    func buttons() {
        for (name, content) in Contents.all {
            let tokens = readHTML(page(content))
            for (index, token) in tokens.enumerated() {
                guard case .open("button", let attributes) = token, attributes["aria-hidden"] == nil else {
                    continue
                }
                let end = tokens[index...].firstIndex(of: .close("button")) ?? index
                let said = attributes["aria-label"] ?? Array(tokens[index..<end]).text
                #expect(!said.isEmpty, "\(name): \(attributes)")
                #expect(
                    attributes["name"] != nil || attributes["class"]?.contains("scriptless") == true,
                    "\(name)"
                )
            }
        }
    }

    @Test("W-1: nothing is loaded from elsewhere, and nothing stands inline that the policy forbids")
    func sameOrigin() {
        let policy = WebPage.headers.first { $0.name == "Content-Security-Policy" }?.value ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        for (name, content) in Contents.all {
            for attributes in readHTML(page(content)).attributes {
                #expect(attributes["style"] == nil, "\(name)")
                #expect(!attributes.keys.contains { $0.hasPrefix("on") }, "\(name)")
                for key in ["src", "href", "action"] {
                    if let address = attributes[key] { #expect(address.hasPrefix("/_lock/"), "\(name)") }
                }
            }
        }
        for asset in WebAsset.all {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            let addresses = text.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(
                !addresses.contains("http:") && !addresses.contains("https:") && !addresses.contains("url(")
            )
            #expect(!addresses.contains("@import") && !addresses.contains("eval("))
        }
    }

    @Test("W-1: the first paint is at most 30 kB without any compression, the script at most 10 kB")
    func size() {
        let files = WebAsset.all.reduce(0) { $0 + $1.bytes.count }
        for (name, content) in Contents.all {
            let size = page(content).utf8.count + files
            #expect(size <= 30_000, "\(name): \(size)")
        }
        #expect(WebAsset.script.bytes.count <= 10_000)
    }

    @Test("W-1: language and direction are told, and texts of other programs have their own")
    func language() {
        let strings = WebStrings(
            language: "ar",
            direction: .rightToLeft,
            entry: "رمز",
            pad: "أرقام",
            previousCard: "السابق",
            nextCard: "التالي",
            search: "بحث",
            busy: "لحظة"
        )
        let html = WebPage(base: "/_lock/", id: "p").html(WebScreen(Contents.picker, strings: strings))
        let root = readHTML(html).elements("html")[0]
        #expect(root["lang"] == "ar" && root["dir"] == "rtl")
        #expect(readHTML(html).tags.contains("bdi"))
    }

    @Test("P-35: a mailed code may be filled in, a passcode may not")
    func autofill() throws {
        let code = try #require(readHTML(page(Contents.reset)).elements("input").first { $0["id"] == "text" })
        #expect(code["autocomplete"] == "one-time-code" && code["inputmode"] == "numeric")
        let field = try #require(
            readHTML(page(Contents.field)).elements("input").first { $0["id"] == "text" }
        )
        #expect(field["autocomplete"] == "off" && field["type"] == "password" && field["maxlength"] == "64")
        #expect(readHTML(page(Contents.lock())).elements("input").allSatisfy { $0["type"] == "hidden" })
    }
}
