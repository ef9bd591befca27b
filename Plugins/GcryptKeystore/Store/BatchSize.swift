package import PortcullisCore

/// How much of a frame a batch takes at most: values, names and what is written beside each.
///
/// A batch is refused by it, and so is an export whose backup could not be taken in again as one batch.
package struct BatchSize: Sendable {
    /// The most that one batch of a store may take. A frame takes twice as much.
    package static let limit = Layout.largestFrame / 2
    /// What is counted for an item beside its name and value.
    private static let perItem = 512

    /// How much was counted.
    package private(set) var bytes = 0

    /// A batch of no items.
    package init() {}

    /// Counts an item in; one that is to be removed has no value.
    package mutating func add(_ name: SecretName, value count: Int = 0) {
        bytes += name.name.utf8.count + count + Self.perItem
    }
}
