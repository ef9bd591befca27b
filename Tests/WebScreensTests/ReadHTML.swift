/// A tag or a text of a page, for tests that look at its structure.
enum HTMLToken: Equatable {
    case open(String, [String: String])
    case close(String)
    case text(String)
}

/// Reads what this module writes: quoted attributes, no comments, no raw text.
func readHTML(_ html: String) -> [HTMLToken] {
    var tokens: [HTMLToken] = []
    var rest = html[...]
    while let first = rest.first {
        guard first == "<" else {
            let text = rest.prefix { $0 != "<" }
            tokens.append(.text(unescaped(String(text))))
            rest = rest.dropFirst(text.count)
            continue
        }
        var inside = rest.dropFirst().prefix { $0 != ">" }
        rest = rest.dropFirst(inside.count + 2)
        if inside.first == "/" {
            tokens.append(.close(String(inside.dropFirst())))
            continue
        }
        let name = inside.prefix { $0 != " " }
        inside = inside.dropFirst(name.count)
        var attributes: [String: String] = [:]
        while inside.first == " " {
            inside = inside.dropFirst()
            let key = inside.prefix { $0 != "=" && $0 != " " }
            inside = inside.dropFirst(key.count)
            var value = ""
            if inside.hasPrefix("=\"") {
                let quoted = inside.dropFirst(2).prefix { $0 != "\"" }
                inside = inside.dropFirst(quoted.count + 3)
                value = unescaped(String(quoted))
            }
            attributes[String(key)] = value
        }
        tokens.append(.open(String(name), attributes))
    }
    return tokens
}

private func unescaped(_ text: String) -> String {
    var text = text
    for (reference, character) in [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#61;", "="), ("&#96;", "`"),
        ("&amp;", "&"),
    ] {
        text = text.split(separator: reference, omittingEmptySubsequences: false).joined(separator: character)
    }
    return text
}

extension [HTMLToken] {
    /// The names of the tags in order, `/` before those that close.
    var tags: [String] {
        compactMap { token in
            switch token {
            case .open(let name, _): name
            case .close(let name): "/" + name
            case .text: nil
            }
        }
    }

    /// The attributes of all elements of a name.
    func elements(_ wanted: String) -> [[String: String]] {
        compactMap { token in
            if case .open(wanted, let attributes) = token { attributes } else { nil }
        }
    }

    /// The attributes of all elements.
    var attributes: [[String: String]] {
        compactMap { token in if case .open(_, let attributes) = token { attributes } else { nil } }
    }

    /// All that can be read.
    var text: String {
        compactMap { token in if case .text(let text) = token { text } else { nil } }.joined(separator: " ")
    }
}
