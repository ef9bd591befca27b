internal import PortcullisCore

/// The rules that every ``/PortcullisCore/SecretStore`` must keep, as a list of clauses.
///
/// Any test framework can run the clauses, and so can a plain program:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: SecretStoreContract.allCases)
/// func contract(_ clause: SecretStoreContract) async throws {
///     let result = try await clause.check(
///         SecretStoreSubject(reopening: {
///             let storage = InMemorySecretStore.Storage()
///             return { InMemorySecretStore(storage) }
///         })
///     )
///     if case .notApplicable(let reason) = result {
///         print("\(clause.id) does not apply: \(reason)")
///     }
/// }
/// ```
///
/// The clauses check every capability that a store declares. The subject of a durable or shared store must be
/// able to open the store again. If the subject of a durable store cannot damage an item, the subject must
/// declare ``damageIsAnError`` unsupported. If the subject of a durable store cannot make writes wait, the
/// subject must declare ``waitsOffThePool`` unsupported.
public enum SecretStoreContract: String, ContractClause {
    /// A missing item reads as `nil` and is not listed.
    case absentItem = "SS-01"
    /// Values of many sizes, up to 1 MiB, are read as they were written.
    case valueSizes = "SS-02"
    /// A value can contain every byte, and is read as it was written.
    case everyByte = "SS-03"
    /// A write without a precondition succeeds whether or not the item exists.
    case preconditionNone = "SS-04"
    /// A write with the precondition "absent" succeeds only if the item is missing.
    case preconditionAbsent = "SS-05"
    /// A write with a version as precondition succeeds only if the item has that version.
    case preconditionVersion = "SS-06"
    /// A write that ends in a conflict leaves the item's value, version and accessibility class unchanged.
    case conflictChangesNothing = "SS-07"
    /// Each write gives the item a version that it never had before.
    case versionsNeverReturn = "SS-08"
    /// A removal ends as removed, absent or conflict.
    case removeOutcomes = "SS-09"
    /// The listing is sorted by the bytes of the names, and contains no removed item.
    case namesSorted = "SS-10"
    /// One name in two namespaces stands for two items.
    case namespacesApart = "SS-11"
    /// Two names that differ in any byte stand for two items.
    case namesByteForByte = "SS-12"
    /// An item keeps its accessibility class until the next write.
    case accessibilityKept = "SS-13"
    /// Changing one item leaves the other items unchanged.
    case othersUntouched = "SS-14"
    /// If many tasks increment one counter, every increment is counted.
    case concurrentIncrements = "SS-15"
    /// If many tasks create one item at once, exactly one task succeeds.
    case concurrentCreations = "SS-16"
    /// If many tasks remove one item at once, exactly one task succeeds.
    case concurrentRemovals = "SS-17"
    /// A reader never sees parts of two writes: the value is whole, and the version belongs to the value.
    case noTornReads = "SS-18"
    /// A write by a cancelled task reports truly whether the item was written.
    case cancelledWriteTellsTheTruth = "SS-19"
    /// No description, dump or error shows a value, nor does an error about a damaged item.
    case descriptionsHideValues = "SS-20"
    /// Each change is signalled, and only in the namespace of the item.
    case signalsOwnChanges = "SS-21"
    /// Unread signals are merged, but a reader never misses that something has changed.
    case signalsMerge = "SS-22"
    /// If the same store is open twice, changes through one instance are signalled by the other instance.
    case signalsOtherOpenings = "SS-23"
    /// A store that cannot signal returns streams that end at once.
    case silentStreamsEnd = "SS-24"
    /// If a shared store is open twice, each instance sees the other instance's changes.
    case openingsShare = "SS-25"
    /// The items of a durable store are still there after the store was closed and opened again.
    case survivesReopening = "SS-26"
    /// A batch makes all its changes and returns the new versions of the items.
    case batchCommits = "SS-27"
    /// A batch with a conflict changes nothing.
    case batchAllOrNothing = "SS-28"
    /// No reader sees a part of a batch.
    case batchIsOneStep = "SS-29"
    /// A batch that names an item twice is refused.
    case batchRefusesDuplicates = "SS-30"
    /// Reading a locked item throws an error. The item stays in the listing.
    case lockedClass = "SS-31"
    /// Reading a damaged item throws an error. The item never counts as missing. A write and a removal
    /// without a precondition succeed, unless the damage is to the whole store. They change no other item.
    case damageIsAnError = "SS-32"
    /// Two names of the greatest length stand for two items, even if they differ only in the last byte.
    case longestNames = "SS-33"
    /// Names with slashes, dots, wildcards, quotes and blanks are ordinary text.
    case namesAreText = "SS-34"
    /// No name gives access to an item of a store at another place.
    case placesApart = "SS-35"
    /// A call that waits for the store does not block a thread of Swift's shared pool.
    case waitsOffThePool = "SS-36"
    /// Items that are read together show the state of one moment.
    case readsOneMoment = "SS-37"

    /// Whether a store on a limited platform, such as a keychain or a cluster, may declare the clause
    /// unsupported.
    public var mayBeUnsupported: Bool {
        switch self {
        // A keychain does not compare names byte by byte, and is slow with a value of 1 MiB. A cluster may
        // refuse such a value.
        case .valueSizes, .namesByteForByte: true
        // A test may be unable to alter the bytes in a keychain or a cluster, or to make the keychain or
        // cluster wait.
        case .damageIsAnError, .waitsOffThePool: true
        default: false
        }
    }

    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .absentItem: "reading an absent item returns nil, and no list has it"
        case .valueSizes: "values of 0, 1, 63, 64, 65, 4,096 bytes and 1 MiB are read as they were written"
        case .everyByte: "values with each of the 256 bytes are read as they were written"
        case .preconditionNone: "a write without a precondition succeeds whether the item exists or not"
        case .preconditionAbsent:
            "a write with the precondition absent succeeds only if the item does not exist; a conflict has its version"
        case .preconditionVersion:
            "a write with a version succeeds only if the item has this version; a conflict has the present one"
        case .conflictChangesNothing: "a conflict changes neither value, version nor class"
        case .versionsNeverReturn: "each write gives a version that the item never had, also after a removal"
        case .removeOutcomes: "a removal ends in removed, absent or conflict, and a conflict removes nothing"
        case .namesSorted: "names are sorted by their bytes, without removed items"
        case .namespacesApart:
            "equal names in two namespaces are two items, however namespace and name are joined"
        case .namesByteForByte: "two names with different bytes are two items, even if they are equal as text"
        case .accessibilityKept: "the class is stored, and each write replaces it"
        case .othersUntouched: "writing and removing one item leaves the others as they were"
        case .concurrentIncrements: "increments by compare-and-set in many tasks all count"
        case .concurrentCreations: "of many tasks that create one item, exactly one does"
        case .concurrentRemovals: "of many tasks that remove one item, exactly one does"
        case .noTornReads: "a read returns the whole value of one write, with that write's version"
        case .cancelledWriteTellsTheTruth: "a write by a cancelled task reports its real outcome"
        case .descriptionsHideValues: "no description, dump or error shows a value"
        case .signalsOwnChanges: "a change is signalled after it happened, and only in its namespace"
        case .signalsMerge: "signals that were not read are merged, and none is lost"
        case .signalsOtherOpenings: "changes through another instance are signalled"
        case .silentStreamsEnd: "a store that cannot signal returns streams that end at once"
        case .openingsShare: "instances of a shared store see each other's changes and conflicts"
        case .survivesReopening: "values, versions and classes are still there when the store is opened again"
        case .batchCommits: "a batch makes all its changes and reports their versions in the batch's order"
        case .batchAllOrNothing: "a batch with a conflict changes nothing and names each conflict"
        case .batchIsOneStep: "no read sees only a part of a batch"
        case .batchRefusesDuplicates: "a batch that names an item twice is refused and changes nothing"
        case .lockedClass:
            "reading a locked item is an error, and the item is still listed; other items can be read"
        case .damageIsAnError:
            "a damaged item is an error, never absent, another value or free to be created; it can be replaced and removed"
        case .longestNames:
            "names of 512 bytes and namespaces of 128 bytes differ by each byte up to the last"
        case .namesAreText:
            "slashes, dots, wildcards, quotes and blanks in names and namespaces have no meaning"
        case .placesApart: "no name leads to an item of a store in another place"
        case .waitsOffThePool: "calls that wait for the store block no thread of Swift's pool"
        case .readsOneMoment: "items that are read together are in order, and are all of the same instant"
        }
    }

    /// Checks the clause on a store.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the store does not keep the clause, or declares a capability
    ///   that the subject cannot check. The error is also thrown when the subject declares the clause
    ///   unsupported although ``mayBeUnsupported`` is `false`.
    @discardableResult
    public func check(_ subject: SecretStoreSubject) async throws(ContractViolation) -> ContractResult {
        if subject.unsupported.contains(self) {
            guard mayBeUnsupported else { throw violation("it may not be declared unsupported") }
            return .notApplicable("declared unsupported")
        }
        return try await judge {
            let probe = try await SecretStoreProbe(subject)
            if let claim = unprovedClaim(of: probe) { throw Finding(claim) }
            if let reason = reasonNotToApply(to: probe) { return .notApplicable(reason) }
            try await run(probe)
            return .kept
        }
    }

    /// The message for a capability that the store declares although the subject cannot check it; `nil` if
    /// there is no such capability.
    private func unprovedClaim(of probe: SecretStoreProbe) -> String? {
        let can = probe.store.capabilities
        return switch self {
        case .openingsShare where can.contains(.isShared) && !probe.subject.canReopen:
            "the store claims to be shared, and its subject opens it once only"
        case .survivesReopening where can.contains(.isDurable) && !probe.subject.canReopen:
            "the store claims to be durable, and its subject opens it once only"
        case .signalsOtherOpenings where can.contains(.signalsOtherProcesses) && !probe.subject.canReopen:
            "the store claims to signal the changes of others, and its subject opens it once only"
        case .damageIsAnError where can.contains(.isDurable) && probe.place.damage == nil:
            "the store is durable, and its place has no way to damage an item: add one, or declare it unsupported"
        case .waitsOffThePool where can.contains(.isDurable) && probe.place.hold == nil:
            "the store is durable, and its place has no way to hold it up: add one, or declare it unsupported"
        default: nil
        }
    }

    private func reasonNotToApply(to probe: SecretStoreProbe) -> String? {
        let can = probe.store.capabilities
        return switch self {
        case .signalsOwnChanges, .signalsMerge:
            can.contains(.signalsOwnChanges) ? nil : "the store does not signal"
        case .silentStreamsEnd:
            can.isDisjoint(with: [.signalsOwnChanges, .signalsOtherProcesses]) ? nil : "the store signals"
        case .signalsOtherOpenings where !can.contains(.signalsOtherProcesses):
            "the store does not signal the changes of others"
        case .openingsShare where !can.contains(.isShared): "the store is not shared"
        case .survivesReopening where can.isDisjoint(with: [.isDurable, .isShared]):
            "items go with the opening"
        case .openingsShare, .survivesReopening, .signalsOtherOpenings:
            probe.subject.canReopen ? nil : "the store cannot be opened twice"
        case .batchCommits, .batchAllOrNothing, .batchIsOneStep, .batchRefusesDuplicates, .readsOneMoment:
            probe.transactional == nil ? "the store has no batches" : nil
        case .lockedClass: probe.subject.lock == nil ? "the store has no lock" : nil
        case .damageIsAnError: probe.place.damage == nil ? "nothing of the store outlives the process" : nil
        case .waitsOffThePool: probe.place.hold == nil ? "nothing of the store outlives the process" : nil
        default: nil
        }
    }

    private func run(_ probe: SecretStoreProbe) async throws {
        switch self {
        case .absentItem: try await probe.checkAbsentItem()
        case .valueSizes: try await probe.checkValueSizes()
        case .everyByte: try await probe.checkEveryByte()
        case .preconditionNone: try await probe.checkPreconditionNone()
        case .preconditionAbsent: try await probe.checkPreconditionAbsent()
        case .preconditionVersion: try await probe.checkPreconditionVersion()
        case .conflictChangesNothing: try await probe.checkConflictChangesNothing()
        case .versionsNeverReturn: try await probe.checkVersionsNeverReturn()
        case .removeOutcomes: try await probe.checkRemoveOutcomes()
        case .namesSorted: try await probe.checkNamesSorted()
        case .namespacesApart: try await probe.checkNamespacesApart()
        case .namesByteForByte: try await probe.checkNamesByteForByte()
        case .accessibilityKept: try await probe.checkAccessibilityKept()
        case .othersUntouched: try await probe.checkOthersUntouched()
        case .concurrentIncrements: try await probe.checkConcurrentIncrements()
        case .concurrentCreations: try await probe.checkConcurrentCreations()
        case .concurrentRemovals: try await probe.checkConcurrentRemovals()
        case .noTornReads: try await probe.checkNoTornReads()
        case .cancelledWriteTellsTheTruth: try await probe.checkCancelledWrite()
        case .descriptionsHideValues: try await probe.checkDescriptionsHideValues()
        case .signalsOwnChanges: try await probe.checkSignalsOwnChanges()
        case .signalsMerge: try await probe.checkSignalsMerge()
        case .signalsOtherOpenings: try await probe.checkSignalsOtherOpenings()
        case .silentStreamsEnd: try await probe.checkSilentStreamsEnd()
        case .openingsShare: try await probe.checkOpeningsShare()
        case .survivesReopening: try await probe.checkSurvivesReopening()
        case .batchCommits: try await probe.checkBatchCommits()
        case .batchAllOrNothing: try await probe.checkBatchAllOrNothing()
        case .batchIsOneStep: try await probe.checkBatchIsOneStep()
        case .batchRefusesDuplicates: try await probe.checkBatchRefusesDuplicates()
        case .lockedClass: try await probe.checkLockedClass()
        case .damageIsAnError: try await probe.checkDamageIsAnError()
        case .longestNames: try await probe.checkLongestNames()
        case .namesAreText: try await probe.checkNamesAreText()
        case .placesApart: try await probe.checkPlacesApart()
        case .waitsOffThePool: try await probe.checkWaitsOffThePool()
        case .readsOneMoment: try await probe.checkReadsOneMoment()
        }
    }
}
