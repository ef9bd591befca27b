internal import PortcullisCore

/// Text made fit to stand in HTML, between tags and in attributes.
///
/// All text on the pages of this module goes through here; so may that of a host's own pages.
public enum HTMLText: Sendable {
    /// The text as one line without markup.
    ///
    /// What a browser does not show, or shows in another order than it is written, is neutralised by
    /// ``/PortcullisCore/ForeignText``. The characters `& < > " ' =` and the backtick become character references, so
    /// that the text ends no attribute, quoted or not, and begins no tag.
    ///
    /// - Parameter text: of any length, from any source.
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
