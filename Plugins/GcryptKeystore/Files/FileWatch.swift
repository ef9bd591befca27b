/// A watch over a file. The watch runs until ``end()`` is called or a failure ends it.
package protocol FileWatch: Sendable {
    /// Stops watching the file. If the delivery of a notice has begun before this call, that notice may still
    /// arrive.
    func end()
}
