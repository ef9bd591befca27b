/// Writes HTML. The names of elements and attributes are literals in this module. ``HTMLText`` escapes all
/// other text.
struct Markup {
    /// The value of an attribute.
    enum Value {
        /// A text.
        case text(String)
        /// The attribute is present without a value.
        case present
        /// The attribute is absent.
        case absent

        init(_ isPresent: Bool) { self = isPresent ? .present : .absent }
        init(_ text: String?) { self = text.map { .text($0) } ?? .absent }
    }

    typealias Attributes = KeyValuePairs<StaticString, Value>

    private(set) var html = ""

    /// Writes an element with the content that `body` writes.
    mutating func element(
        _ name: StaticString,
        _ attributes: Attributes = [:],
        _ body: (inout Markup) -> Void = { _ in }
    ) {
        void(name, attributes)
        body(&self)
        html += "</\(name)>"
    }

    /// Writes an element with a text inside.
    mutating func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    /// Writes a start tag. An element that has no end tag, such as `input`, is then complete.
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

    /// Writes a text, escaped.
    mutating func text(_ text: String) { html += HTMLText.escaped(text) }

    /// Writes a text from another program or person in a `bdi` element. A text that is written from right to
    /// left then does not reorder the text around it.
    mutating func foreign(_ text: String) { element("bdi", text: text) }

    /// Writes the HTML of another ``Markup`` without escaping it.
    mutating func drawn(_ html: String) { self.html += html }

    /// Writes a literal without escaping it.
    mutating func literal(_ html: StaticString) { self.html += "\(html)" }
}
