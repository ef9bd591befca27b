internal import LockScreens

/// Draws the entry: dots with a number pad, or a field.
extension ScreenMarkup {
    func dots(_ markup: inout Markup) {
        guard let entry = content.entry, case .dots(let count) = entry.style else { return }
        markup.element("div", ["class": .text("dots"), "aria-hidden": .text("true")]) { markup in
            for index in 0..<max(count, 0) {
                markup.element("i", ["class": .text(index < entry.filled ? "full" : "")])
            }
        }
    }

    /// Draws a field if the passcode's format needs one, or if the browser may fill in a code. The field is
    /// always drawn empty.
    func field(_ markup: inout Markup) {
        guard let entry = content.entry else { return }
        let isCode = entry.autofill == .oneTimeCode
        if case .dots = entry.style, !isCode { return }
        markup.void(
            "input",
            [
                "id": .text("text"), "name": .text("text"), "class": .text(isCode ? "code" : "secret"),
                "type": .text(isCode ? "text" : "password"),
                "inputmode": .text(entry.digitsOnly ? "numeric" : "text"),
                "autocomplete": .text(isCode ? "one-time-code" : "off"),
                "maxlength": Markup.Value(entry.lengths.map { "\($0.upperBound)" }),
                "aria-label": .text(content.prompt.isEmpty ? strings.entry : content.prompt),
                "aria-describedby": .text("error"),
                "aria-invalid": Markup.Value(content.message?.kind == .error ? "true" : nil),
                "autocapitalize": .text("off"), "spellcheck": .text("false"), "enterkeyhint": .text("done"),
                // These attributes keep password managers from filling the field in.
                "data-1p-ignore": Markup.Value(!isCode), "data-lpignore": Markup.Value(isCode ? nil : "true"),
            ]
        )
    }

    func pad(_ markup: inout Markup) {
        guard let pad = content.pad else { return }
        let isOff = !pad.isEnabled
        markup.element(
            "div",
            ["class": .text("keys"), "role": .text("group"), "aria-label": .text(strings.pad)]
        ) { markup in
            for key in NumberPad.rows.joined() {
                switch key {
                case .blank: markup.element("span")
                case .digit(let digit):
                    markup.element(
                        "button",
                        [
                            "id": .text("digit-\(digit)"), "name": .text("digit"), "value": .text("\(digit)"),
                            "aria-disabled": Markup.Value(isOff ? "true" : nil),
                        ],
                        text: "\(digit)"
                    )
                case .delete:
                    markup.element(
                        "button",
                        [
                            "id": .text("delete"), "name": .text("delete"), "value": .text("1"),
                            "class": .text("delete"), "aria-label": .text(pad.deleteLabel),
                            "aria-disabled": Markup.Value(isOff ? "true" : nil),
                        ]
                    ) { WebSymbol(named: pad.deleteSymbol)?.write(to: &$0) }
                }
            }
        }
    }
}
