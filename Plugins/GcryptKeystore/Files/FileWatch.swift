/// A watch over a file. It runs until ``end()`` is called.
package protocol FileWatch: Sendable {
    /// Ends the watch. One notice may still arrive after this call, if its delivery had begun.
    func end()
}
