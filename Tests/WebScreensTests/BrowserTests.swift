import Foundation
import LockScreens
import PasscodeLock
import Testing
import WebBrowser
import WebScreens

@Suite(
    "Pages in a browser (W-1, W-5)",
    .enabled(if: BrowserKind.chromium.isInstalled, "chromium and chromedriver are not installed"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct BrowserTests {
    /// The file is what a person last found right; `PORTCULLIS_APPROVE=1` writes it anew.
    @Test("W-5: what a screen reader is told of each screen is what was approved")
    func accessibility() async throws {
        let pages = try DrawnPages()
        defer { try? pages.remove() }
        try await Browser.open { browser in
            for (name, content) in Contents.all {
                try await browser.go(try pages.write(content))
                let found = try await browser.accessibilityTree()
                let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                    path: "Approved/\(name).txt"
                )
                if ProcessInfo.processInfo.environment["PORTCULLIS_APPROVE"] != nil {
                    try Data(found.utf8).write(to: file)
                    continue
                }
                let wanted = String(decoding: try Data(contentsOf: file), as: UTF8.self)
                #expect(found == wanted, "\(name):\n\(found)")
            }
        }
    }

    /// What is wrong with the layout of a page, as texts.
    private static let faults = """
        const faults = [];
        const width = document.documentElement.clientWidth;
        if (document.scrollingElement.scrollWidth > width) faults.push('wider than the window: ' + document.scrollingElement.scrollWidth);
        for (const element of document.querySelectorAll('button, input:not([type=hidden]), h1, p, li')) {
          const box = element.getBoundingClientRect();
          if (element.closest('.unseen') || element.classList.contains('code') || box.width === 0 || element.closest('.icons')) continue;
          if (box.left < -0.5 || box.right > width + 0.5) faults.push('cut: ' + element.outerHTML.slice(0, 80));
          const isTarget = ['BUTTON', 'INPUT'].includes(element.tagName);
          if (isTarget && (box.width < 44 || box.height < 44)) faults.push('small: ' + element.outerHTML.slice(0, 80) + box.width + '×' + box.height);
          if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline') faults.push('text cut: ' + element.outerHTML.slice(0, 80));
        }
        const keys = [...document.querySelectorAll('.keys button')].map(key => key.getBoundingClientRect());
        for (const [index, one] of keys.entries()) for (const other of keys.slice(index + 1)) {
          if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom) faults.push('keys overlap');
        }
        return faults.join('; ');
        """

    @Test(
        "W-1: at 320 px, at twice the text's size, on a phone on its side and on a desk nothing is cut or too small",
        arguments: [(320, 640, 16), (320, 640, 32), (844, 390, 16), (1440, 900, 16), (500, 800, 32)]
    )
    func layout(width: Int, height: Int, text: Int) async throws {
        try await expectNoFaults(width, height, text, .english, Contents.all)
    }

    @Test(
        "W-1: and right to left and in German",
        arguments: Language.allCases,
        [(320, 640, 16), (320, 640, 32), (1440, 900, 16)]
    )
    func languages(language: Language, size: (width: Int, height: Int, text: Int)) async throws {
        var contents = language.contents
        if language.page.direction == .rightToLeft { contents += Contents.all }
        try await expectNoFaults(size.width, size.height, size.text, language.page, contents)
    }

    @Test("W-1, P-30: right to left, the keys and dots run as digits do: from left to right")
    func digitsRunLeftToRight() async throws {
        let pages = try DrawnPages()
        defer { try? pages.remove() }
        try await Browser.open { browser in
            try await browser.go(try pages.write(Contents.lock(filled: 1), Language.arabic.page))
            let order = try await browser.run(
                """
                const left = selector => document.querySelector(selector).getBoundingClientRect().left;
                return [
                  left('#digit-1') < left('#digit-3'), left('#digit-0') < left('#delete'), left('.dots .full') < left('.dots i:not(.full)'),
                ].join();
                """
            )
            #expect(order == "true,true,true")
        }
    }

    private func expectNoFaults(
        _ width: Int,
        _ height: Int,
        _ text: Int,
        _ strings: WebStrings,
        _ contents: [(name: String, content: ScreenContent)]
    ) async throws {
        let pages = try DrawnPages()
        defer { try? pages.remove() }
        var options = Browser.Options()
        (options.width, options.height) = (width, height)
        try await Browser.open(options) { browser in
            for (name, content) in contents {
                try await browser.go(try pages.write(content, strings))
                try await browser.run("document.documentElement.style.fontSize = '\(text)px'")
                let faults = try await browser.run(Self.faults)
                #expect(faults.isEmpty, "\(name): \(faults)")
            }
        }
    }

    /// `PORTCULLIS_PICTURES=FOLDER` says where; see `make pictures`.
    @Test(
        "W-5: pictures of each screen, light, dark and on a phone",
        .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_PICTURES"] != nil)
    )
    func pictures() async throws {
        let folder = URL(filePath: try #require(ProcessInfo.processInfo.environment["PORTCULLIS_PICTURES"]))
        let pages = try DrawnPages()
        defer { try? pages.remove() }
        for (look, width, height, isDark) in [
            ("light", 500, 760, false), ("dark", 500, 760, true), ("phone", 320, 640, false),
        ] {
            var options = Browser.Options()
            (options.width, options.height, options.isDark) = (width, height, isDark)
            try await Browser.open(options) { browser in
                for (name, content) in Contents.all {
                    try await browser.go(try pages.write(content))
                    let picture = try await browser.screenshot()
                    #expect(picture.count > 1000)
                    try picture.write(to: folder.appending(path: "\(name)-\(look).png"))
                }
                guard look == "phone" else { return }
                for language in Language.allCases {
                    for (name, content) in language.contents {
                        try await browser.go(try pages.write(content, language.page))
                        let picture = try await browser.screenshot()
                        try picture.write(to: folder.appending(path: "\(name)-\(language).png"))
                    }
                }
            }
        }
    }

    @Test("W-1: what a person has to see is seen in both colour schemes")
    func schemes() async throws {
        let pages = try DrawnPages()
        defer { try? pages.remove() }
        for isDark in [false, true] {
            var options = Browser.Options()
            options.isDark = isDark
            let paper = try await Browser.open(options) { browser in
                try await browser.go(try pages.write(Contents.lock()))
                return try await browser.run(
                    "return getComputedStyle(document.documentElement).backgroundColor"
                )
            }
            #expect(paper == (isDark ? "rgb(16, 21, 27)" : "rgb(244, 241, 234)"))
        }
    }
}
