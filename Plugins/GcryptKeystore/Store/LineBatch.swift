#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import PortcullisCore

/// A line `{"name","value"}` of JSON, with the value in base64, as `import-lines` takes them.
package struct ItemLine: Sendable {
    private struct Parts: Decodable {
        var name: String
        var value: Data
    }

    /// The item's name, unchecked.
    package let name: String
    /// The item's value.
    package let value: SecretBytes

    /// Reads a line; `nil` for anything else. The decoder's own copies are ordinary memory.
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

/// The changes of one commit, none of which is kept before the last one has come.
///
/// A stream that never ends is refused as soon as no commit could take it.
package struct LineBatch: Sendable {
    /// Why a change is not taken.
    package enum Refusal: Error, Sendable {
        /// The name is there already.
        case twice
        /// It is more than one commit takes.
        case tooMuch
    }

    /// What was taken so far, in order.
    package private(set) var changes: [SecretChange] = []
    private var names: Set<SecretName> = []
    private var size = BatchSize()
    private let limit: Int

    /// No changes.
    ///
    /// - Parameter limit: what a commit takes, as ``BatchSize`` counts it.
    package init(limit: Int = BatchSize.limit) { self.limit = limit }

    /// Takes in one more.
    package mutating func add(_ change: SecretChange) throws(Refusal) {
        guard names.insert(change.name).inserted else { throw .twice }
        if case .write(let value, _, _, _) = change { size.add(change.name, value: value.count) }
        guard size.bytes <= limit else { throw .tooMuch }
        changes.append(change)
    }
}
