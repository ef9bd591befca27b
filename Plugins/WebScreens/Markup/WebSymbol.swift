/// A symbol of the screens, as a drawing on a square of 24 by 24 units.
struct WebSymbol {
    private let path: StaticString
    private let isFilled: Bool

    /// Makes the drawing for a symbol's name. The result is `nil` if this module has no drawing of that name.
    init?(named name: String) {
        switch name {
        case "lock.shield.fill":
            self.init(
                """
                M12 1.8 4 4.7v6.5c0 5 3.3 9 8 11 4.7-2 8-6 8-11V4.7l-8-2.9Zm-3 9.2V9.4a3 3 0 0 1 6 0V11h.5a1 1 0 0 1 1 \
                1v3.6a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1V12a1 1 0 0 1 1-1H9Zm1.5 0h3V9.4a1.5 1.5 0 0 0-3 0V11Z
                """,
                isFilled: true
            )
        case "delete.left":
            self.init("M9 5h11a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H9l-6-7 6-7Zm2.5 4.5 5 5m0-5-5 5")
        case "touchid":
            self.init(
                """
                M5.5 8.5a8 8 0 0 1 13 0M4 14v-1.5a8 8 0 0 1 .2-1.8m15.6 0a8 8 0 0 1 .2 1.8V14M8 19.5c-.7-1.5-1-3.2-1-5.5\
                v-1.5a5 5 0 0 1 10 0V14c0 1.5-.1 2.8-.4 4m-5.6 3c-.7-2-1-4.2-1-7v-1.5a2 2 0 0 1 4 0V14c0 2.8-.2 5-.8 7
                """
            )
        case "faceid":
            self.init(
                """
                M3 8V5a2 2 0 0 1 2-2h3m8 0h3a2 2 0 0 1 2 2v3m0 8v3a2 2 0 0 1-2 2h-3m-8 0H5a2 2 0 0 1-2-2v-3M8.5 9v1.5M15.5 9v1.5\
                M12 9v4h-1M9 15.8c1.7 1.4 4.3 1.4 6 0
                """
            )
        case "lock":
            self.init(
                "M7.5 10.5V8a4.5 4.5 0 0 1 9 0v2.5M6 10.5h12a1 1 0 0 1 1 1V20a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8.5a1 1 0 0 1 1-1Z"
            )
        case "lock.app.dashed":
            self.init(
                """
                M9.5 11V9.7a2.5 2.5 0 0 1 5 0V11M8.7 11h6.6a.7.7 0 0 1 .7.7v4.1a.7.7 0 0 1-.7.7H8.7a.7.7 0 0 1-.7-.7v-4.1a.7.7 0 0 1 \
                .7-.7ZM3 8V7a4 4 0 0 1 4-4h1m3 0h2m3 0h1a4 4 0 0 1 4 4v1m0 3v2m0 3v1a4 4 0 0 1-4 4h-1m-3 0h-2m-3 0H7a4 4 0 0 1-4-4v-1m0-3v-2
                """
            )
        case "key":
            self.init("M15 4a5 5 0 1 1-4.6 7L4 11v3h2v2.5h3V14l1.4-.9M16.5 8.5v.1")
        default:
            return nil
        }
    }

    private init(_ path: StaticString, isFilled: Bool = false) {
        self.path = path
        self.isFilled = isFilled
    }

    /// Writes the drawing. Screen readers skip it, because there is always a text beside it.
    func write(to markup: inout Markup) {
        markup.element(
            "svg",
            [
                "class": .text(isFilled ? "symbol filled" : "symbol"), "viewBox": .text("0 0 24 24"),
                "aria-hidden": .text("true"), "focusable": .text("false"),
            ]
        ) { $0.element("path", ["d": .text("\(path)")]) }
    }
}
