internal import LockScreens

/// A whole page that shows a screen, with or without script.
///
/// The page loads only the three files of ``WebAsset``, from the same site. Send it with ``headers``.
public struct WebPage: Sendable, Hashable {
    /// The folder of the module's files on the site. The path begins and ends with a slash.
    ///
    /// The form posts to `input` in this folder. Without a script, a page of a screen other than the lock
    /// reloads itself by a GET of `input?NEXT`, where NEXT is ``next``. The site answers with a page of the
    /// screen, or, if the screen has ended, with a redirect to ``next``.
    public var base: String
    /// An id that no other page has. Each post of the page to `input` contains the id.
    public var id: String
    /// The number of the page's first post to `input`; each later post has a higher number.
    public var count: Int
    /// The path on the same site to which the browser goes when the screen has ended. With a script, the
    /// lock's page reloads instead; see ``reload``.
    public var next: String
    /// The path on the same site that the browser loads when the page has to be loaded anew; `nil` for the
    /// page's own address. The browser loads by GET. So a page that answers a request with another method
    /// needs a path here. Without a script, only the lock's page uses this path; see ``base``.
    public var reload: String?
    /// The name of the screen. To show a screen with another name, the browser loads a new page.
    public var screen: String

    /// Makes a page of these parts.
    public init(
        base: String,
        id: String,
        count: Int = 1,
        next: String = "/",
        reload: String? = nil,
        screen: String = "lock"
    ) {
        self.base = base
        self.id = id
        self.count = count
        self.next = next
        self.reload = reload
        self.screen = screen
    }

    /// The headers of every page. They restrict where the page's parts may come from, forbid other sites to
    /// show the page in a frame, and forbid caches to store the page.
    public static let headers: [(name: String, value: String)] = [
        ("Content-Type", "text/html; charset=utf-8"),
        (
            "Content-Security-Policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
            base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types portcullis
            """
        ),
        ("Cache-Control", "no-store"),
        ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// The page as HTML.
    public func html(_ screen: WebScreen) -> String {
        let content = screen.content
        var markup = Markup()
        markup.literal("<!doctype html>")
        markup.element(
            "html",
            [
                "lang": .text(screen.strings.language), "dir": .text(screen.strings.direction.rawValue),
                "data-page": .text(id), "data-count": .text("\(count)"), "data-screen": .text(self.screen),
                "data-revision": .text("\(screen.revision)"), "data-shakes": .text("\(content.shakes)"),
                "data-next": .text(next), "data-reload": Markup.Value(reload),
            ]
        ) { markup in
            markup.element("head") { head(content, &$0) }
            markup.element("body") { markup in
                markup.element(
                    "form",
                    [
                        "id": .text("screen"), "method": .text("post"), "action": .text(base + "input"),
                        "autocomplete": .text("off"), "aria-busy": .text(content.isBusy ? "true" : "false"),
                    ]
                ) { body(screen, &$0) }
            }
        }
        return markup.html
    }

    private func head(_ content: ScreenContent, _ markup: inout Markup) {
        markup.void("meta", ["charset": .text("utf-8")])
        markup.void(
            "meta",
            [
                "name": .text("viewport"),
                "content": .text("width=device-width, initial-scale=1, viewport-fit=cover"),
            ]
        )
        markup.void("meta", ["name": .text("color-scheme"), "content": .text("light dark")])
        markup.void("meta", ["name": .text("robots"), "content": .text("noindex")])
        markup.element("title", text: ScreenMarkup.title(content))
        markup.void(
            "link",
            [
                "rel": .text("icon"), "type": .text("image/svg+xml"),
                "href": .text(base + WebAsset.symbol.name),
            ]
        )
        markup.void("link", ["rel": .text("stylesheet"), "href": .text(base + WebAsset.style.name)])
        markup.element("script", ["src": .text(base + WebAsset.script.name), "defer": .present])
        if let wait = Self.reload(content) {
            markup.element("noscript") {
                // Except for the lock, the page's own address may open its screen anew. So the browser loads
                // `input`, which shows the screen, or leads to `next` if the screen has ended.
                let place = screen == "lock" ? reload : "\(base)input?\(next)"
                let refresh = place.map { "\(wait);url=\($0)" } ?? "\(wait)"
                $0.void("meta", ["http-equiv": .text("refresh"), "content": .text(refresh)])
            }
        }
    }

    /// The number of seconds after which a page without a script reloads itself; `nil` if the screen does not
    /// change by itself.
    private static func reload(_ content: ScreenContent) -> Int64? {
        if content.isBusy || content.isPaused { return 1 }
        guard let left = content.message?.timeLeft else { return nil }
        return min(max(left.components.seconds + 1, 1), 60)
    }

    private func body(_ screen: WebScreen, _ markup: inout Markup) {
        let content = screen.content
        // The Return key activates the first button of a form. So an invisible button for the main action
        // comes first.
        let main = content.controls.first { $0.role == .primary && $0.isEnabled && $0.id != .done }
        for (name, value) in [("page", id), ("count", "\(count)"), ("next", next)] {
            markup.void("input", ["type": .text("hidden"), "name": .text(name), "value": .text(value)])
        }
        markup.element("div", ["id": .text("beneath"), "inert": Markup.Value(content.alert != nil)]) {
            markup in
            markup.element(
                "button",
                [
                    "id": .text("enter"), "class": .text("unseen"), "tabindex": .text("-1"),
                    "aria-hidden": .text("true"), "name": .text(main == nil ? "submit" : "activate"),
                    "value": .text(main?.id.formValue ?? "1"),
                ]
            )
            for region in ScreenRegion.beneath where !region.isMessage {
                write(region, of: screen, &markup)
                // The error, the notice and the count-down share one place, so that nothing moves when a
                // message appears.
                guard region == .field else { continue }
                markup.element("div", ["id": .text("messages")]) { markup in
                    for region in ScreenRegion.allCases where region.isMessage {
                        write(region, of: screen, &markup)
                    }
                }
            }
            markup.element(
                "p",
                ["id": .text("busy"), "role": .text("status"), "aria-label": .text(screen.strings.busy)]
            )
        }
        write(.dialog, of: screen, &markup)
    }

    private func write(_ region: ScreenRegion, of screen: WebScreen, _ markup: inout Markup) {
        let name: StaticString = region == .head ? "header" : region == .timer ? "p" : "div"
        markup.element(name, region.attributes) { $0.drawn(screen.html(of: region)) }
    }
}
