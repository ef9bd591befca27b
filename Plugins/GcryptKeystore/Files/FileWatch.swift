/// A watch over a file, which goes on until ``end()``.
package protocol FileWatch: Sendable {
    /// Ends the watch. One notice may still come after this call, if it was under way.
    func end()
}
