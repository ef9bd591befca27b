/// A watch over a file. It runs until ``end()`` is called.
package protocol FileWatch: Sendable {
    /// Stops watching the file. If the delivery of a notice has begun before this call, that notice may still
    /// arrive.
    func end()
}
