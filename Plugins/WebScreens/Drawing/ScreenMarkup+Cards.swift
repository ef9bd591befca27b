internal import LockScreens

/// Draws cards, icons, and the search field that filters a list.
extension ScreenMarkup {
    func cards(_ markup: inout Markup) {
        if let row = content.icons { icons(row, &markup) }
        guard let deck = content.cards, let card = deck.front else { return }
        markup.element(
            "div",
            ["class": .text("deck"), "role": .text("group"), "aria-label": .text(deck.accessibilityValue)]
        ) {
            markup in
            turn(strings.previousCard, to: deck.index(turnedBy: -1), "before", &markup)
            markup.element("div", ["class": .text("card"), "aria-live": .text("polite")]) { markup in
                WebSymbol(named: card.symbol)?.write(to: &markup)
                markup.element("h2", text: card.title)
                markup.element("p", text: card.text)
            }
            turn(strings.nextCard, to: deck.index(turnedBy: 1), "after", &markup)
        }
        markup.element("p", ["class": .text("step"), "aria-hidden": .text("true")]) { markup in
            for index in deck.cards.indices {
                markup.element("i", ["class": .text(index == deck.index ? "now" : "")])
            }
        }
    }

    private func turn(_ label: String, to index: Int, _ side: String, _ markup: inout Markup) {
        markup.element(
            "button",
            [
                "id": .text("card-\(side)"), "class": .text("turn \(side)"), "name": .text("show"),
                "value": .text("\(index)"), "aria-label": .text(label),
            ]
        ) { $0.element("i", ["class": .text("chevron")]) }
    }

    /// Draws the row of icons. The style sheet moves the row, so the row's position in the model is not used.
    private func icons(_ row: IconRow, _ markup: inout Markup) {
        markup.element("div", ["class": .text("icons")]) { markup in
            markup.element("ul") { markup in
                for icon in row.icons {
                    markup.element("li") { markup in
                        WebSymbol(named: icon.symbol)?.write(to: &markup)
                        markup.foreign(icon.label)
                    }
                }
            }
        }
    }

    func search(_ markup: inout Markup) {
        guard let search = content.search else { return }
        markup.void(
            "input",
            [
                "id": .text("query"), "name": .text("search"), "type": .text("search"),
                "value": .text(search.text), "placeholder": .text(search.prompt),
                "aria-label": .text(search.prompt), "autocomplete": .text("off"),
                "enterkeyhint": .text("search"),
            ]
        )
        markup.element("button", ["class": .text("plain scriptless")], text: strings.search)
    }
}
