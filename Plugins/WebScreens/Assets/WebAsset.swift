/// A file that the pages need: its bytes, and the headers with which a server sends it.
public struct WebAsset: Sendable, Hashable {
    /// The file's name, which contains its ``digest``. Each new version has a new name, so a browser may
    /// cache every version for ever.
    public let name: String
    /// The value of the `Content-Type` header.
    public let contentType: String
    /// A hash of 16 hexadecimal digits that differs between versions of the file. The hash does not protect
    /// against a forged file.
    public let digest: String
    /// The file's content.
    public let bytes: [UInt8]

    /// The value of the `Cache-Control` header.
    public static let cacheControl = "public, max-age=31536000, immutable"

    private init(_ name: String, _ kind: String, _ contentType: String, _ bytes: [UInt8]) {
        // The hash is FNV-1a.
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        digest = String(repeating: "0", count: 16 - digits.count) + digits
        self.name = "\(name)-\(digest).\(kind)"
        self.contentType = contentType
        self.bytes = bytes
    }

    /// The style sheet of all pages.
    public static let style = WebAsset(
        "style",
        "css",
        "text/css; charset=utf-8",
        PackageResources.style_css
    )
    /// The script of all pages: those with the lock's screens, and those with the host's content.
    public static let script = WebAsset(
        "lock",
        "js",
        "text/javascript; charset=utf-8",
        PackageResources.lock_js
    )
    /// The symbol that a browser shows in the page's tab.
    public static let symbol = WebAsset("symbol", "svg", "image/svg+xml", PackageResources.symbol_svg)

    /// All files that the pages need.
    public static let all = [style, script, symbol]
}
