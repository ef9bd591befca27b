internal import PortcullisCore

/// What every ``/PortcullisCore/SecretStore`` keeps, clause by clause.
///
/// Run it from any test framework, or from none:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: SecretStoreContract.allCases)
/// func contract(_ clause: SecretStoreContract) async throws {
///     let storage = InMemorySecretStore.Storage()
///     try await clause.check(SecretStoreSubject(reopening: { { InMemorySecretStore(storage) } }))
/// }
/// ```
public enum SecretStoreContract: String, ContractClause {
    /// An item that is not there.
    case absentItem = "SS-01"
    /// Values of many sizes.
    case valueSizes = "SS-02"
    /// Values of all bytes.
    case everyByte = "SS-03"
    /// A write that asks nothing.
    case preconditionNone = "SS-04"
    /// A write that asks for absence.
    case preconditionAbsent = "SS-05"
    /// A write that asks for a version.
    case preconditionVersion = "SS-06"
    /// A write that failed its precondition.
    case conflictChangesNothing = "SS-07"
    /// Versions over the life of an item.
    case versionsNeverReturn = "SS-08"
    /// The ends of a removal.
    case removeOutcomes = "SS-09"
    /// The listing of a namespace.
    case namesSorted = "SS-10"
    /// Items of other namespaces.
    case namespacesApart = "SS-11"
    /// Names that look alike.
    case namesByteForByte = "SS-12"
    /// The class of an item.
    case accessibilityKept = "SS-13"
    /// Items beside the one that changes.
    case othersUntouched = "SS-14"
    /// Counting from many tasks.
    case concurrentIncrements = "SS-15"
    /// Creating from many tasks.
    case concurrentCreations = "SS-16"
    /// Removing from many tasks.
    case concurrentRemovals = "SS-17"
    /// Reading while it is written.
    case noTornReads = "SS-18"
    /// A write by a cancelled task.
    case cancelledWriteTellsTheTruth = "SS-19"
    /// Text made of what a store gives.
    case descriptionsHideValues = "SS-20"
    /// Signals of own changes.
    case signalsOwnChanges = "SS-21"
    /// Signals nobody has taken.
    case signalsMerge = "SS-22"
    /// Signals of other openings.
    case signalsOtherOpenings = "SS-23"
    /// Signals of a store that has none.
    case silentStreamsEnd = "SS-24"
    /// Items seen by other openings.
    case openingsShare = "SS-25"
    /// Items after the store was opened again.
    case survivesReopening = "SS-26"
    /// A batch that holds.
    case batchCommits = "SS-27"
    /// A batch with a conflict.
    case batchAllOrNothing = "SS-28"
    /// A batch seen while it happens.
    case batchIsOneStep = "SS-29"
    /// A batch that names an item twice.
    case batchRefusesDuplicates = "SS-30"
    /// A locked class.
    case lockedClass = "SS-31"

    /// Whether a store on weaker ground, such as a keychain or a cluster, may declare it unsupported.
    public var mayBeUnsupported: Bool {
        switch self {
        // A keychain has no byte-wise names and takes its time over a megabyte; a cluster may refuse it.
        case .valueSizes, .namesByteForByte: true
        default: false
        }
    }

    /// What the clause asks, in one sentence.
    public var prose: String {
        switch self {
        case .absentItem: "an item that is not there reads as nil and is in no listing"
        case .valueSizes: "values of 0, 1, 63, 64, 65, 4,096 bytes and 1 MiB come back as they were"
        case .everyByte: "values of every byte come back as they were"
        case .preconditionNone: "a write without precondition succeeds over something and over nothing"
        case .preconditionAbsent: "a write if absent succeeds over nothing only, and names the version there"
        case .preconditionVersion:
            "a write if version succeeds over that version only, and names the one there"
        case .conflictChangesNothing: "a conflict leaves value, version and class as they were"
        case .versionsNeverReturn: "each write gives a version the item never had, also after its removal"
        case .removeOutcomes: "a removal ends as removed, absent or conflict, and a conflict removes nothing"
        case .namesSorted: "names are sorted by their bytes and hold no removed item"
        case .namespacesApart: "equal names in two namespaces are two items, however the texts join"
        case .namesByteForByte: "names that differ in their bytes only are two items"
        case .accessibilityKept: "the class is kept, and changed by the next write"
        case .othersUntouched: "writing and removing one item leaves the others as they were"
        case .concurrentIncrements: "increments by compare-and-set from many tasks are all counted"
        case .concurrentCreations: "of many tasks that create one item, exactly one does"
        case .concurrentRemovals: "of many tasks that remove one item, exactly one does"
        case .noTornReads: "a reader sees one writer's value with its version, whole"
        case .cancelledWriteTellsTheTruth: "a write by a cancelled task reports what really happened"
        case .descriptionsHideValues: "no description, dump or error shows a value"
        case .signalsOwnChanges: "a change is signalled after it happened, and only in its namespace"
        case .signalsMerge: "signals that nobody took are merged, and none is lost"
        case .signalsOtherOpenings: "changes through another opening are signalled"
        case .silentStreamsEnd: "a store that cannot signal returns streams that end at once"
        case .openingsShare: "openings of a shared store see each other's changes and conflicts"
        case .survivesReopening: "values, versions and classes are there when the store is opened again"
        case .batchCommits: "a batch makes all its changes and reports versions in its order"
        case .batchAllOrNothing: "a batch with a conflict changes nothing and names each conflict"
        case .batchIsOneStep: "nobody sees a part of a batch"
        case .batchRefusesDuplicates: "a batch that names an item twice is refused and changes nothing"
        case .lockedClass: "a locked item is an error and stays listed; others stay readable"
        }
    }

    /// Checks the clause on a store.
    ///
    /// - Returns: that it is kept, or why it does not apply.
    /// - Throws: ``ContractViolation`` when it is not kept, or when it is declared unsupported and may not be.
    @discardableResult
    public func check(_ subject: SecretStoreSubject) async throws(ContractViolation) -> ContractResult {
        if subject.unsupported.contains(self) {
            guard mayBeUnsupported else { throw violation("it may not be declared unsupported") }
            return .notApplicable("declared unsupported")
        }
        return try await judge {
            let probe = try await SecretStoreProbe(subject)
            if let reason = reasonNotToApply(to: probe) { return .notApplicable(reason) }
            try await run(probe)
            return .kept
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
        case .batchCommits, .batchAllOrNothing, .batchIsOneStep, .batchRefusesDuplicates:
            probe.transactional == nil ? "the store has no batches" : nil
        case .lockedClass: probe.subject.lock == nil ? "the store has no lock" : nil
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
        }
    }
}
