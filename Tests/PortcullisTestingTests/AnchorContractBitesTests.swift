import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("The RollbackAnchor contract bites (X-3, H-4)", .timeLimit(.minutes(5)))
struct AnchorContractBitesTests {
    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: AnchorFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: AnchorFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(FaultyAnchor.subject(fault))
        }
        #expect(violation?.clause == clause.id)
        #expect(violation?.finding.contains("unexpected error") == false)
    }

    @Test("X-3: the anchor without a fault keeps every clause", arguments: RollbackAnchorContract.allCases)
    func barksAtNothing(_ clause: RollbackAnchorContract) async throws {
        #expect(try await clause.check(FaultyAnchor.subject(.none)) == .kept)
    }

    @Test("X-3: every clause has a fault that it catches; ids are unique and lasting")
    func everyClauseIsProved() {
        let proved = Set(AnchorFault.allCases.compactMap(\.clause))
        #expect(Set(RollbackAnchorContract.allCases).subtracting(proved).isEmpty)
        #expect(RollbackAnchorContract.allCases.map(\.id) == (1...9).map { "RA-0\($0)" })
    }
}

/// One way in which an anchor can be wrong.
enum AnchorFault: CaseIterable {
    case none, emptyAtFirst, dropsSeals, keepsFirst, cutsRecords, keepsForItself, makesAnother
    case risesByTwo, risesForItself, isAnyStores, staysWhenDeleted, beginsAnew, losesSlots

    /// The clause that is meant to catch the fault.
    var clause: RollbackAnchorContract? {
        switch self {
        case .none: nil
        case .emptyAtFirst: .nothing
        case .dropsSeals: .keeps
        case .keepsFirst, .cutsRecords: .last
        case .keepsForItself: .another
        case .makesAnother: .counterSetUp
        case .risesByTwo, .risesForItself: .counterRises
        case .isAnyStores: .counterOfOther
        case .staysWhenDeleted, .beginsAnew: .counterReplaced
        case .losesSlots: .durable
        }
    }
}

/// An anchor with a counter that is right except for one fault. Its ground is in memory.
private final class FaultyAnchor: RollbackAnchor, RollbackCounter {
    /// The records and counters, which outlive each anchor.
    final class Ground: Sendable {
        struct State {
            var record: [UInt8]?
            /// What a power failure leaves of the record.
            var durable: [UInt8]?
            var counters: [UInt32: (store: [UInt8], value: UInt64)] = [:]
            var highest: UInt64 = 0
        }

        let state = Mutex(State())
    }

    private let ground: Ground
    private let own = Ground()
    private let fault: AnchorFault

    init(_ ground: Ground, _ fault: AnchorFault) { (self.ground, self.fault) = (ground, fault) }

    static func subject(_ fault: AnchorFault) -> RollbackAnchorSubject {
        RollbackAnchorSubject {
            let ground = Ground()
            return .init(
                anchor: FaultyAnchor(ground, fault),
                another: { FaultyAnchor(ground, fault) },
                deleteCounter: { handle in
                    guard fault != .staysWhenDeleted else { return }
                    ground.state.withLock { $0.counters[handle] = nil }
                },
                failPower: {
                    let left = Ground()
                    let durable = ground.state.withLock { $0.durable }
                    left.state.withLock { $0.record = durable }
                    return FaultyAnchor(left, fault)
                }
            )
        }
    }

    private var recordGround: Ground { fault == .keepsForItself ? own : ground }
    var place: String { "memory" }
    var counter: (any RollbackCounter)? { self }

    func records() throws(SecretStoreError) -> [UInt8]? {
        recordGround.state.withLock { $0.record } ?? (fault == .emptyAtFirst ? [] : nil)
    }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        if fault == .dropsSeals, reason == .seal { return }
        recordGround.state.withLock { state in
            if fault == .keepsFirst, state.record != nil { return }
            state.record = fault == .cutsRecords ? Array(record.dropLast()) : record
            if reason > .other, fault != .losesSlots || reason != .slots { state.durable = state.record }
        }
    }

    func counts(_ reason: AnchorReason) -> Bool { reason > .other }

    func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32 {
        ground.state.withLock { state in
            if fault != .makesAnother, let kept = state.counters.first(where: { $0.value.store == store }) {
                return kept.key
            }
            let handle = UInt32(state.counters.count + 1)
            state.highest += 1
            state.counters[handle] = (store, fault == .beginsAnew ? 1 : state.highest)
            return handle
        }
    }

    func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64? {
        ground.state.withLock { state in
            guard let kept = state.counters[counter], fault == .isAnyStores || kept.store == store else {
                return nil
            }
            return kept.value + (fault == .risesForItself ? own.state.withLock { $0.highest } : 0)
        }
    }

    func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError) {
        if fault == .risesForItself { return own.state.withLock { $0.highest += 1 } }
        ground.state.withLock { state in
            guard let kept = state.counters[counter] else { return }
            let value = kept.value + (fault == .risesByTwo ? 2 : 1)
            state.counters[counter] = (kept.store, value)
            state.highest = max(state.highest, value)
        }
    }
}
