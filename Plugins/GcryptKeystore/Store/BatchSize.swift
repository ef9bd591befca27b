package import PortcullisCore

/// An upper bound of the bytes that a batch takes in a frame: the values, the names and the overhead of the
/// format.
///
/// The store refuses a batch whose bound is above ``limit``. It also refuses an export whose backup would be
/// too large to import as one batch.
package struct BatchSize: Sendable {
    /// The largest size of a batch in bytes. It is half the largest size of a frame.
    package static let limit = Layout.largestFrame / 2
    /// The bytes that are counted for each item besides its name and value.
    private static let perItem = 512

    /// The bytes counted so far.
    package private(set) var bytes = 0

    /// The size of a batch without items.
    package init() {}

    /// Counts an item. A removed item has no value.
    package mutating func add(_ name: SecretName, value count: Int = 0) {
        bytes += name.name.utf8.count + count + Self.perItem
    }
}
