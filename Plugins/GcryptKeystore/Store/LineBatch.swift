#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import PortcullisCore

/// An item from one line of input for `import-lines`. The line is the JSON object `{"name","value"}`, with
/// the value in base64.
package struct ItemLine: Sendable {
    private struct Parts: Decodable {
        var name: String
        var value: Data
    }

    /// The item's name, which is not checked yet.
    package let name: String
    /// The item's value.
    package let value: SecretBytes

    /// Reads a line. Returns `nil` if the line is not the JSON object of an ``ItemLine``. The decoder makes
    /// copies of the value in ordinary memory, which is not zeroed.
    package init?(_ line: SecretBytes) {
        let parts = try? line.withBytes { bytes in
            try unsafe bytes.withUnsafeBytes {
                try JSONDecoder().decode(Parts.self, from: unsafe Data($0))
            }
        }
        guard let parts else { return nil }
        name = parts.name
        value = SecretBytes(copying: parts.value)
    }
}

/// Collects the changes of one commit. The caller makes the commit after it has added the last change.
///
/// The total size of the writes is checked with each added change. As soon as this size exceeds the largest
/// size of a commit, the input is refused. So input without an end is refused too.
package struct LineBatch: Sendable {
    /// The reason for refusing a change.
    package enum Refusal: Error, Sendable {
        /// An earlier change has the same name.
        case twice
        /// The changes exceed the size of one commit.
        case tooMuch
    }

    /// The changes so far, in order.
    package private(set) var changes: [SecretChange] = []
    private var names: Set<SecretName> = []
    private var size = BatchSize()
    private let limit: Int

    /// Makes an empty batch.
    ///
    /// - Parameter limit: the largest size of a commit in bytes, as ``BatchSize`` counts it.
    package init(limit: Int = BatchSize.limit) { self.limit = limit }

    /// Adds a change.
    package mutating func add(_ change: SecretChange) throws(Refusal) {
        guard names.insert(change.name).inserted else { throw .twice }
        if case .write(let value, _, _, _) = change { size.add(change.name, value: value.count) }
        guard size.bytes <= limit else { throw .tooMuch }
        changes.append(change)
    }
}
