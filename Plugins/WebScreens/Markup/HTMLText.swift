internal import PortcullisCore

/// Escapes text for HTML, for use between tags and in attributes.
///
/// All texts on the pages of this module are escaped here. A host can use this type for its own pages.
public enum HTMLText: Sendable {
    /// Returns a text as one line without markup.
    ///
    /// ``/PortcullisCore/ForeignText`` removes or replaces characters that are invisible or change the
    /// direction of writing. The characters `& < > " ' =` and the backtick become character references. So
    /// the text cannot end an attribute, quoted or not, and cannot begin a tag.
    ///
    /// - Parameter text: a text of any length, from any source.
    public static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in ForeignText.line(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "=": result += "&#61;"
            case "`": result += "&#96;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
