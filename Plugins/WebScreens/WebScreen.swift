public import LockScreens

/// What a browser shows of a screen, and since when.
///
/// A pure value. The host hands it each content; it draws what changed and counts. A page is told what is newer than what
/// it has: so a stream that broke off, a tab that slept and a second tab all need the same question.
public struct WebScreen: Sendable {
    /// The screen as it is.
    public private(set) var content: ScreenContent
    /// The texts besides those of the screen.
    public let strings: WebStrings
    /// Rises with each change that can be seen.
    public private(set) var revision: Int
    private var regions: [ScreenRegion: Drawn] = [:]

    private struct Drawn: Sendable {
        var html: String
        var since: Int
    }

    /// A screen with its first content.
    ///
    /// - Parameters:
    ///   - content: what it shows.
    ///   - strings: the texts besides those of the screen.
    ///   - revision: what it counts from; a screen that follows another one goes on above its last.
    public init(_ content: ScreenContent, strings: WebStrings = .english, revision: Int = 1) {
        self.content = content
        self.strings = strings
        self.revision = revision
        let markup = ScreenMarkup(content: content, strings: strings)
        for region in ScreenRegion.allCases {
            regions[region] = Drawn(html: markup.html(of: region), since: revision)
        }
    }

    /// Shows other content.
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

    /// What a page has to replace that shows the screen as it was.
    ///
    /// - Parameter revision: the newest that the page has; 0 for all there is.
    public func patch(since revision: Int) -> WebPatch {
        // A number that was never given out is one of another process.
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

    /// What stands in a region.
    func html(of region: ScreenRegion) -> String { regions[region]?.html ?? "" }
}
