public import PortcullisCore

/// The rules that every ``/PortcullisCore/RollbackAnchor`` must keep, as a list of clauses. Clauses about a
/// counter apply only to anchors that have a counter.
///
/// The clauses block the calling thread, because an anchor's calls block it. If a call may take long, run the
/// clauses on a separate thread.
public enum RollbackAnchorContract: String, ContractClause {
    /// An anchor that was never used has no record. Reading its records is not an error.
    case nothing = "RA-01"
    /// For every ``/PortcullisCore/AnchorReason``, a kept record can be read again. An anchor with a counter
    /// may skip the record of a change that does not raise the counter.
    case keeps = "RA-02"
    /// After several records were kept in turn, the last record can be read unchanged.
    case last = "RA-03"
    /// Another instance of the anchor finds the record.
    case another = "RA-04"
    /// A new counter has a value. Setting the counter up again finds the same counter with the same value.
    case counterSetUp = "RA-05"
    /// Each raise adds 1 to the counter, and every instance reads the new value.
    case counterRises = "RA-06"
    /// The counter of one store cannot be read for another store.
    case counterOfOther = "RA-07"
    /// A deleted counter cannot be read. A new counter of the same store starts above all values of the
    /// deleted counter.
    case counterReplaced = "RA-08"
    /// A record can still be read if the power fails right after the record was kept. The clause applies to
    /// each reason with more weight than ``/PortcullisCore/AnchorReason/other``.
    case durable = "RA-09"

    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .nothing: "an anchor without a record returns none, and that is no error"
        case .keeps: "a stored record is returned, for each reason that is not left out"
        case .last: "of several stored records the last one is returned, whole"
        case .another: "a record that one instance has stored is returned by another instance"
        case .counterSetUp: "a counter is set up once, is found again, and has a value"
        case .counterRises: "a counter rises by one with each call, for all instances"
        case .counterOfOther: "a counter belongs to one store, and is not found for another store"
        case .counterReplaced:
            "a deleted counter is not found, and a new one has a higher value than the deleted one ever had"
        case .durable: "a record for a higher reason than other outlasts a power failure"
        }
    }

    /// Checks the clause on an anchor.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the anchor does not keep the clause.
    @discardableResult
    public func check(_ subject: RollbackAnchorSubject) async throws(ContractViolation) -> ContractResult {
        try await judge {
            let place = try await subject.makePlace()
            let anchor = place.anchor
            switch self {
            case .nothing:
                try require(try anchor.records() == nil, "something is there before anything was kept")
            case .keeps:
                for (turn, reason) in AnchorReason.allCases.reversed().enumerated() {
                    let record = Self.record(UInt8(turn))
                    try anchor.keep(record, turn: UInt64(turn), for: reason)
                    guard anchor.counter?.counts(reason) != false else { continue }
                    try require(
                        Self.holds(try anchor.records(), record),
                        "a record for \(reason) is not there"
                    )
                }
            case .last:
                for turn in 0..<9 {
                    try anchor.keep(Self.record(UInt8(turn)), turn: UInt64(turn), for: .setUp)
                    try require(
                        Self.holds(try anchor.records(), Self.record(UInt8(turn))),
                        "the record of turn \(turn) is not there"
                    )
                }
            case .another:
                guard let another = place.another else { return .notApplicable("there is one instance only") }
                try anchor.keep(Self.record(7), turn: 1, for: .setUp)
                try require(
                    Self.holds(try await another().records(), Self.record(7)),
                    "another instance finds no record"
                )
            case .durable:
                guard let failPower = place.failPower else {
                    return .notApplicable("no power failure can be made")
                }
                for reason in AnchorReason.allCases where reason > .other {
                    guard anchor.counter?.counts(reason) != false else { continue }
                    let record = Self.record(UInt8(reason.rawValue))
                    try anchor.keep(record, turn: UInt64(reason.rawValue), for: reason)
                    try require(
                        Self.holds(try await failPower().records(), record),
                        "a power failure loses a record for \(reason)"
                    )
                }
            case .counterSetUp, .counterRises, .counterOfOther, .counterReplaced:
                guard let counter = anchor.counter else { return .notApplicable("it has no counter") }
                return try await check(counter, place)
            }
            return .kept
        }
    }

    private func check(_ counter: any RollbackCounter, _ place: RollbackAnchorSubject.Place) async throws
        -> ContractResult
    {
        let store = [UInt8](repeating: 1, count: 16)
        let handle = try counter.setUp(for: store)
        try require(handle != 0, "a counter is at 0")
        guard let first = try counter.value(of: handle, store: store) else {
            throw Finding("a counter that was set up has no value")
        }
        switch self {
        case .counterRises:
            for step in 1...3 as ClosedRange<UInt64> {
                try counter.raise(handle, store: store)
                try requireEqual(try counter.value(of: handle, store: store), first + step, "the value")
                let other = try await place.another?().counter?.value(of: handle, store: store)
                if let other { try requireEqual(other, first + step, "another instance's value") }
            }
        case .counterOfOther:
            let other = [UInt8](repeating: 2, count: 16)
            try require(try counter.value(of: handle, store: other) == nil, "another store finds the counter")
        case .counterReplaced:
            guard let delete = place.deleteCounter else { return .notApplicable("no counter can be deleted") }
            try counter.raise(handle, store: store)
            try await delete(handle)
            try require(
                try counter.value(of: handle, store: store) == nil,
                "a counter that was deleted is there"
            )
            let again = try counter.setUp(for: store)
            let value = try counter.value(of: again, store: store)
            try require(value ?? 0 > first + 1, "a counter that was begun anew is not above its last value")
        default:
            try requireEqual(try counter.setUp(for: store), handle, "the place of a counter that is there")
            try requireEqual(try counter.value(of: handle, store: store), first, "its value")
        }
        return .kept
    }

    private static func record(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 127) + [0xFF] }

    /// Whether the anchor's records contain this record unchanged.
    private static func holds(_ records: [UInt8]?, _ record: [UInt8]) -> Bool {
        guard let records else { return false }
        return stride(from: 0, through: records.count - record.count, by: record.count).contains {
            records[$0...].starts(with: record)
        }
    }
}

/// A ``/PortcullisCore/RollbackAnchor`` to be checked against ``RollbackAnchorContract``. The subject's
/// function makes an anchor, together with functions that change the anchor's surroundings.
public struct RollbackAnchorSubject: Sendable {
    /// An anchor, with functions that change its surroundings. If a test cannot provide a function, the
    /// function is `nil`, and the clauses that need it do not apply.
    public struct Place: Sendable {
        /// The anchor.
        public var anchor: any RollbackAnchor
        /// Makes another anchor over the same records and counters, as another process does.
        public var another: (@Sendable () async throws -> any RollbackAnchor)?
        /// Deletes the counter with this handle. The anchor does not learn of the deletion.
        public var deleteCounter: (@Sendable (UInt32) async throws -> Void)?
        /// Makes another anchor that finds only the data that a power failure at this moment would leave.
        public var failPower: (@Sendable () async throws -> any RollbackAnchor)?

        /// Makes a place with this anchor and these functions.
        public init(
            anchor: any RollbackAnchor,
            another: (@Sendable () async throws -> any RollbackAnchor)? = nil,
            deleteCounter: (@Sendable (UInt32) async throws -> Void)? = nil,
            failPower: (@Sendable () async throws -> any RollbackAnchor)? = nil
        ) {
            (self.anchor, self.another) = (anchor, another)
            (self.deleteCounter, self.failPower) = (deleteCounter, failPower)
        }
    }

    let makePlace: @Sendable () async throws -> Place

    /// Makes a subject.
    ///
    /// - Parameter makePlace: makes a fresh anchor; called once for each clause.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}
