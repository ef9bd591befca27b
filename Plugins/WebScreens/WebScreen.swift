public import LockScreens

/// The HTML of a screen, and the revision at which each region last changed.
///
/// The screen is a pure value. The host passes each new content to ``show(_:)``, which finds the changed
/// regions and counts revisions. A page requests all changes since its own revision. The same request
/// therefore works after a broken connection, after a suspension of the tab, and for a second tab.
public struct WebScreen: Sendable {
    /// The present content of the screen.
    public private(set) var content: ScreenContent
    /// The texts of the page that do not belong to the screen.
    public let strings: WebStrings
    /// A number that rises with each visible change.
    public private(set) var revision: Int
    private var regions: [ScreenRegion: Drawn] = [:]

    private struct Drawn: Sendable {
        var html: String
        var since: Int
    }

    /// Makes a screen with its first content.
    ///
    /// - Parameters:
    ///   - content: the content of the screen.
    ///   - strings: the texts of the page that do not belong to the screen.
    ///   - revision: the first revision. If this screen replaces another screen on a page, the first revision
    ///     must be higher than the last revision of that screen.
    public init(_ content: ScreenContent, strings: WebStrings = .english, revision: Int = 1) {
        self.content = content
        self.strings = strings
        self.revision = revision
        let markup = ScreenMarkup(content: content, strings: strings)
        for region in ScreenRegion.allCases {
            regions[region] = Drawn(html: markup.html(of: region), since: revision)
        }
    }

    /// Replaces the content.
    ///
    /// - Returns: whether anything that can be seen has changed.
    @discardableResult
    public mutating func show(_ new: ScreenContent) -> Bool {
        guard new != content else { return false }
        let old = content
        content = new
        let markup = ScreenMarkup(content: new, strings: strings)
        let next = revision + 1
        var isChanged = old.shakes != new.shakes || old.successes != new.successes || old.isBusy != new.isBusy
        for region in ScreenRegion.allCases {
            let html = markup.html(of: region)
            guard html != regions[region]?.html else { continue }
            regions[region] = Drawn(html: html, since: next)
            isChanged = true
        }
        if isChanged { revision = next }
        return isChanged
    }

    /// Returns the changes that a page with an earlier revision needs.
    ///
    /// - Parameter revision: the page's revision; 0 if the page has none. With 0 the page gets every region.
    public func patch(since revision: Int) -> WebPatch {
        // If the page's revision is higher than the current revision, another server process made the page.
        // The page then gets every region.
        let known = revision > self.revision ? 0 : revision
        var changed: [String: String] = [:]
        for (region, drawn) in regions where drawn.since > known { changed[region.rawValue] = drawn.html }
        return WebPatch(
            since: known,
            revision: self.revision,
            title: ScreenMarkup.title(content),
            regions: changed,
            filled: content.entry?.filled,
            shakes: content.shakes,
            successes: content.successes,
            isBusy: content.isBusy,
            isAsking: content.alert != nil
        )
    }

    /// Returns the HTML of a region.
    func html(of region: ScreenRegion) -> String { regions[region]?.html ?? "" }
}
