internal import LockScreens

/// Draws the parts of a screen as HTML.
struct ScreenMarkup {
    let content: ScreenContent
    let strings: WebStrings

    /// Returns the HTML of a region; empty if the screen has nothing for it.
    func html(of region: ScreenRegion) -> String {
        var markup = Markup()
        switch region {
        case .head: head(&markup)
        case .prompt: prompt(&markup)
        case .cards: cards(&markup)
        case .search: search(&markup)
        case .summary: markup.text(content.search?.summary ?? "")
        case .entry: dots(&markup)
        case .typed:
            if case .dots = content.entry?.style { markup.text(content.entry?.accessibilityValue ?? "") }
        case .field: field(&markup)
        case .error: message(.error, &markup)
        case .notice: message(.notice, &markup)
        case .timer: message(.countDown, &markup)
        case .pad: pad(&markup)
        case .controls: controls(&markup)
        case .texts: texts(&markup)
        case .dialog: dialog(&markup)
        }
        return markup.html
    }

    private func head(_ markup: inout Markup) {
        if let symbol = WebSymbol(named: content.symbol), content.cards == nil { symbol.write(to: &markup) }
        markup.element("h1", ["id": .text("title"), "tabindex": .text("-1")], text: content.title)
        if let step = content.step {
            markup.element("p", ["class": .text("step")]) { markup in
                for number in 1...max(step.count, 1) {
                    markup.element("i", ["class": .text(number == step.number ? "now" : "")])
                }
                markup.element("span", ["class": .text("unseen")], text: step.accessibilityValue)
            }
        }
    }

    private func prompt(_ markup: inout Markup) {
        if let hint = content.hint {
            markup.element("p", ["class": .text("prompt hint"), "role": .text("status")]) { markup in
                WebSymbol(named: hint.symbol)?.write(to: &markup)
                markup.text(hint.text)
            }
        } else if !content.prompt.isEmpty {
            markup.element("p", ["class": .text("prompt")], text: content.prompt)
        }
    }

    /// Draws the message if it is of this kind. A count-down has a kind and a region of its own, so that a
    /// screen reader does not announce it.
    private func message(_ kind: ScreenMessage.Kind, _ markup: inout Markup) {
        guard let message = content.message, message.kind == kind else { return }
        markup.text(message.text)
    }

    private func texts(_ markup: inout Markup) {
        for text in content.texts {
            switch text {
            case .paragraph(let text): paragraphs(text, "text", &markup)
            case .note(let text): paragraphs(text, "note", &markup)
            case .items(let items):
                markup.element("ul", ["class": .text("items")]) { markup in
                    for item in items { markup.element("li") { $0.foreign(item) } }
                }
            }
        }
    }

    /// Draws a paragraph for each line of a text.
    private func paragraphs(_ text: String, _ look: String, _ markup: inout Markup) {
        for line in text.split(whereSeparator: \.isNewline) {
            markup.element("p", ["class": .text(look)], text: String(line))
        }
    }

    private func dialog(_ markup: inout Markup) {
        guard let alert = content.alert else { return }
        markup.element(
            "div",
            [
                "class": .text("sheet"), "role": .text("alertdialog"), "aria-modal": .text("true"),
                "aria-labelledby": .text("question"), "aria-describedby": .text("detail"),
            ]
        ) { markup in
            markup.element("h2", ["id": .text("question")], text: alert.title)
            markup.element("div", ["id": .text("detail")]) { paragraphs(alert.text, "text", &$0) }
            for action in alert.actions { button(action, &markup) }
        }
    }
}

extension ScreenMarkup {
    /// The title of the browser's window: the screen's title, and its prompt if there is one.
    static func title(_ content: ScreenContent) -> String {
        content.prompt.isEmpty ? content.title : "\(content.title): \(content.prompt)"
    }
}
