internal import LockScreens

/// Draws buttons, switches, choices and the rows of lists.
extension ScreenMarkup {
    /// Draws the controls in order. Adjacent controls of the same group are drawn under the group's headline.
    func controls(_ markup: inout Markup) {
        var rest = content.controls[...]
        while let first = rest.first {
            let group = rest.prefix { $0.group == first.group }
            rest = rest.dropFirst(group.count)
            guard !first.group.isEmpty else {
                for control in group { write(control, &markup) }
                continue
            }
            markup.element(
                "div",
                ["class": .text("group"), "role": .text("group"), "aria-label": .text(first.group)]
            ) {
                markup in
                markup.element("h2", text: first.group)
                for control in group { write(control, &markup) }
            }
        }
    }

    private func write(_ control: ScreenControl, _ markup: inout Markup) {
        switch control.kind {
        case .button: button(control, &markup)
        case .toggle(let isOn):
            row(control, role: "switch", isChecked: isOn, &markup) {
                $0.element("i", ["class": .text("switch")])
            }
        case .option(let isChosen):
            row(control, role: "checkbox", isChecked: isChosen, &markup) {
                $0.element("i", ["class": .text("tick")])
            }
        case .link(let chosen):
            row(control, role: nil, isChecked: nil, &markup) { $0.element("i", ["class": .text("chevron")]) }
            if !chosen.isEmpty {
                markup.element("ul", ["class": .text("items")]) { markup in
                    for item in chosen { markup.element("li") { $0.foreign(label(item.label, or: item.id)) } }
                }
            }
        case .choice(let options, let selected): choice(control, options, selected, &markup)
        }
    }

    /// Draws a button of a screen or of a question. When it is pressed, the form posts the field `activate`
    /// with the button's id.
    func button(_ control: ScreenControl, _ markup: inout Markup) {
        let look =
            switch control.role {
            case .normal, .cancel: "plain"
            case .primary: "primary"
            case .destructive: "destructive"
            }
        markup.element("button", attributes(control, look, role: nil, isChecked: nil)) { markup in
            control.symbol.flatMap { WebSymbol(named: $0) }?.write(to: &markup)
            markup.foreign(label(control.title, or: control.id))
        }
    }

    private func row(
        _ control: ScreenControl,
        role: String?,
        isChecked: Bool?,
        _ markup: inout Markup,
        mark: (inout Markup) -> Void
    ) {
        markup.element("button", attributes(control, "row", role: role, isChecked: isChecked)) { markup in
            markup.foreign(label(control.title, or: control.id))
            mark(&markup)
        }
    }

    private func choice(
        _ control: ScreenControl,
        _ options: [String],
        _ selected: Int?,
        _ markup: inout Markup
    ) {
        markup.element(
            "div",
            [
                "class": .text("group"), "role": .text("radiogroup"),
                "aria-label": .text(control.accessibilityLabel),
            ]
        ) { markup in
            markup.element("h2", text: control.title)
            for (index, option) in options.enumerated() {
                markup.element(
                    "button",
                    [
                        "id": .text("choose-\(control.id.formValue)-\(index)"), "class": .text("row"),
                        "name": .text("choose"), "value": .text("\(control.id.formValue) \(index)"),
                        "role": .text("radio"), "aria-checked": .text(index == selected ? "true" : "false"),
                        "aria-disabled": Markup.Value(control.isEnabled ? nil : "true"),
                    ]
                ) { markup in
                    markup.foreign(option)
                    markup.element("i", ["class": .text("tick")])
                }
            }
        }
    }

    /// Returns the attributes of a control. A disabled control gets the attribute `aria-disabled` instead of
    /// `disabled`, because an element with `disabled` loses the keyboard focus. The screen's model ignores
    /// the input of a disabled control.
    private func attributes(
        _ control: ScreenControl,
        _ look: String,
        role: String?,
        isChecked: Bool?
    ) -> Markup.Attributes {
        let label = control.accessibilityLabel == control.title ? nil : control.accessibilityLabel
        // The server receives the text of a field only when the form is posted. Before that, it cannot know
        // whether the text is complete. So Done is drawn as enabled while the screen accepts input.
        let isOff = !control.isEnabled && !(control.id == .done && content.takesInput)
        return [
            "id": .text("control-\(control.id.formValue)"), "class": .text(look),
            "name": .text("activate"), "value": .text(control.id.formValue),
            "role": Markup.Value(role), "aria-checked": Markup.Value(isChecked.map { $0 ? "true" : "false" }),
            "aria-label": Markup.Value(label), "aria-disabled": Markup.Value(isOff ? "true" : nil),
            "data-cancel": Markup.Value(control.role == .cancel),
        ]
    }

    /// Returns the label, or the id if the label is blank.
    private func label(_ text: String, or id: ControlID) -> String {
        text.contains { !$0.isWhitespace } ? text : id.rawValue
    }
}
