import Foundation
import LockScreens
import WebBrowser
import WebScreens

/// Pages as files, for a browser to open.
struct DrawnPages {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for asset in WebAsset.all { try Data(asset.bytes).write(to: folder.appending(path: asset.name)) }
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    /// Writes a page.
    ///
    /// - Returns: its address.
    func write(_ content: ScreenContent, _ strings: WebStrings = .english) throws -> String {
        let file = folder.appending(path: "page.html")
        let html = WebPage(base: "", id: "page").html(WebScreen(content, strings: strings))
        try Data(html.utf8).write(to: file)
        return file.absoluteString
    }
}
