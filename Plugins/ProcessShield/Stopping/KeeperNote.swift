#if os(Linux)
/// The record's entry which says that this process looks after the shields.
struct KeeperNote: Sendable {
    /// This process; `nil` if it could not be read.
    let keeper: ShieldKeeper?
    let table: ProcessTable

    /// Adds the entry if the record has shields. Earlier entries of this process, and entries of processes
    /// that have ended, are removed. A process that cannot be read may still run, so its entry stays.
    func note(in record: inout ShieldRecord) {
        record.keepers = record.keepers.filter { other in
            other.identity != keeper?.identity
                && (table.isAlive(other.identity) || table.isUnreadable(other.identity))
        }
        if let keeper, !record.shields.isEmpty { record.keepers.insert(keeper) }
    }

    func isNoted(in record: ShieldRecord) -> Bool {
        record.shields.isEmpty || keeper.map(record.keepers.contains) ?? true
    }
}
#endif
