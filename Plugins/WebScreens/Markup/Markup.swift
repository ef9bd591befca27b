/// Writes HTML: names are literals of this module, and all else is escaped by ``HTMLText``.
struct Markup {
    /// The value of an attribute.
    enum Value {
        /// A text.
        case text(String)
        /// There, without a value.
        case present
        /// Not there.
        case absent

        init(_ isPresent: Bool) { self = isPresent ? .present : .absent }
        init(_ text: String?) { self = text.map { .text($0) } ?? .absent }
    }

    typealias Attributes = KeyValuePairs<StaticString, Value>

    private(set) var html = ""

    /// An element with what `body` writes inside.
    mutating func element(
        _ name: StaticString,
        _ attributes: Attributes = [:],
        _ body: (inout Markup) -> Void = { _ in }
    ) {
        void(name, attributes)
        body(&self)
        html += "</\(name)>"
    }

    /// An element with a text inside.
    mutating func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    /// An element that has no end tag.
    mutating func void(_ name: StaticString, _ attributes: Attributes = [:]) {
        html += "<\(name)"
        for (name, value) in attributes {
            switch value {
            case .text(let text): html += " \(name)=\"\(HTMLText.escaped(text))\""
            case .present: html += " \(name)"
            case .absent: break
            }
        }
        html += ">"
    }

    /// A text.
    mutating func text(_ text: String) { html += HTMLText.escaped(text) }

    /// A text of another program or person, whose direction is its own.
    mutating func foreign(_ text: String) { element("bdi", text: text) }

    /// What another markup has written before.
    mutating func drawn(_ html: String) { self.html += html }

    /// A literal.
    mutating func literal(_ html: StaticString) { self.html += "\(html)" }
}
