/// A watch over a file that goes on until it is told to end.
package protocol FileWatch: Sendable {
    /// Ends the watch; a notice that is under way may still come.
    func end()
}
