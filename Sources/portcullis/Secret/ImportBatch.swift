internal import GcryptKeystore
internal import PortcullisCore

/// The lines of one commit, none of which is kept before the last one has come.
///
/// A stream that never ends is refused as soon as no commit could take it.
struct ImportBatch {
    private(set) var changes: [SecretChange] = []
    private var names: Set<SecretName> = []
    private var size = BatchSize()
    private let limit: Int

    /// - Parameter limit: what a commit takes, as ``BatchSize`` counts it.
    init(limit: Int = BatchSize.limit) { self.limit = limit }

    /// Takes in one more line.
    ///
    /// - Throws: where the name was on an earlier line, or the lines are more than one commit takes.
    mutating func add(_ change: SecretChange, line number: Int) throws(ToolFailure) {
        guard names.insert(change.name).inserted else {
            throw ToolFailure("line \(number): the name is there twice, and nothing was kept", .usage)
        }
        if case .write(let value, _, _, _) = change { size.add(change.name, value: value.count) }
        guard size.bytes <= limit else {
            throw ToolFailure("line \(number): one batch takes no more, and nothing was kept", .usage)
        }
        changes.append(change)
    }
}
