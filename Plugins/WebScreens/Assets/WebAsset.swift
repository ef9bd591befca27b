/// A file that the pages need: its bytes and what a server says of them.
public struct WebAsset: Sendable, Hashable {
    /// The file's name, with its ``digest`` in it: a new version has a new name, so a browser may keep each for ever.
    public let name: String
    /// What `Content-Type` says.
    public let contentType: String
    /// Tells one version of the file from another; 16 hexadecimal digits. It protects nothing.
    public let digest: String
    /// What is in it.
    public let bytes: [UInt8]

    /// What `Cache-Control` says.
    public static let cacheControl = "public, max-age=31536000, immutable"

    private init(_ name: String, _ kind: String, _ contentType: String, _ bytes: [UInt8]) {
        // FNV-1a.
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        digest = String(repeating: "0", count: 16 - digits.count) + digits
        self.name = "\(name)-\(digest).\(kind)"
        self.contentType = contentType
        self.bytes = bytes
    }

    /// The one style sheet.
    public static let style = WebAsset(
        "style",
        "css",
        "text/css; charset=utf-8",
        PackageResources.style_css
    )
    /// The one script, for the pages of screens and for those of the host.
    public static let script = WebAsset(
        "lock",
        "js",
        "text/javascript; charset=utf-8",
        PackageResources.lock_js
    )
    /// The symbol in a browser's tab.
    public static let symbol = WebAsset("symbol", "svg", "image/svg+xml", PackageResources.symbol_svg)

    /// All of them.
    public static let all = [style, script, symbol]
}
