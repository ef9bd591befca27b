import PortcullisTesting

/// One way in which a store can be wrong.
enum Fault: CaseIterable {
    case none, absentIsEmpty, refusesOverwriting, batchOrder, truncates, masksBytes, ignoresAbsent,
        ignoresVersion, hidesCurrent, conflictWrites
    case reusesVersions, removeSwallows, removeIgnoresVersion, unsortedNames, listsRemoved, joinsNames
    case normalises, forgetsClass, dropsNeighbour, losesUpdates, createsTwice, removesTwice, tears
    case cancelDenies, showsValues, noSignal, signalsEarly, signalsEveryone, countsSignals, deafToOthers
    case claimsSilence, forgetsOnReopening, tornBatch, reportsOneConflict, batchInSteps, takesDuplicates
    case readsLocked, resetsVersionsOnReopening, staleOpening
    case damageIsAbsent, damageIsUnlisted, damageIsRead, damageIsFree, damageIsKept, damageIsNotRemoved
    case damageTakesOthers, damageShowsText, damageShowsBytes, damageShowsBase64
    case shortensNames, shortensNamespaces
    case refusesLongNames, foldsNamespaces, followsDots, trimsNames, listsBelow, listsPatterns, leavesPlace
    case writesBlock, readsBlock, namesOldVersions
    case readsInSteps, readsInOtherOrder, leavesDamageOut, leavesLockedOut
    case itemDeafToRemovals, itemDeafToBatches, itemDeafToOthers

    /// The clause that is meant to catch it.
    var clause: SecretStoreContract? {
        switch self {
        case .none: nil
        case .absentIsEmpty: .absentItem
        case .truncates: .valueSizes
        case .masksBytes: .everyByte
        case .refusesOverwriting: .preconditionNone
        case .batchOrder: .batchCommits
        case .ignoresAbsent, .hidesCurrent: .preconditionAbsent
        case .ignoresVersion: .preconditionVersion
        case .conflictWrites: .conflictChangesNothing
        case .reusesVersions: .versionsNeverReturn
        case .removeSwallows, .removeIgnoresVersion: .removeOutcomes
        case .unsortedNames, .listsRemoved: .namesSorted
        case .joinsNames: .namespacesApart
        case .normalises: .namesByteForByte
        case .forgetsClass: .accessibilityKept
        case .dropsNeighbour: .othersUntouched
        case .losesUpdates: .concurrentIncrements
        case .createsTwice: .concurrentCreations
        case .removesTwice: .concurrentRemovals
        case .tears, .namesOldVersions: .noTornReads
        case .cancelDenies: .cancelledWriteTellsTheTruth
        case .showsValues, .damageShowsText, .damageShowsBytes, .damageShowsBase64: .descriptionsHideValues
        case .noSignal, .signalsEarly, .signalsEveryone, .itemDeafToRemovals, .itemDeafToBatches:
            .signalsOwnChanges
        case .countsSignals: .signalsMerge
        case .deafToOthers, .itemDeafToOthers: .signalsOtherOpenings
        case .claimsSilence: .silentStreamsEnd
        case .staleOpening: .openingsShare
        case .forgetsOnReopening, .resetsVersionsOnReopening: .survivesReopening
        case .tornBatch, .reportsOneConflict: .batchAllOrNothing
        case .batchInSteps: .batchIsOneStep
        case .takesDuplicates: .batchRefusesDuplicates
        case .readsInSteps, .readsInOtherOrder: .readsOneMoment
        case .readsLocked, .leavesLockedOut: .lockedClass
        case .leavesDamageOut, .damageIsAbsent, .damageIsUnlisted, .damageIsRead, .damageIsFree,
            .damageIsKept, .damageIsNotRemoved, .damageTakesOthers:
            .damageIsAnError
        case .shortensNames, .shortensNamespaces, .refusesLongNames: .longestNames
        case .foldsNamespaces, .followsDots, .trimsNames, .listsBelow, .listsPatterns: .namesAreText
        case .leavesPlace: .placesApart
        case .writesBlock, .readsBlock: .waitsOffThePool
        }
    }
}
