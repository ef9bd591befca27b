internal import Gcrypt
public import PortcullisCore

/// Anchors a store with a counter in the machine's TPM 2.0. The anchor notices that the store's file was
/// replaced by an older copy, even if the anchor's own file was replaced as well.
///
/// This anchor wraps another anchor, which keeps the records. The chip's counter gives the number of each
/// record. If the counter is deleted and defined again, it continues above its last value.
///
/// The chip counts changes of the values' protection, of the store's key slots and of the library's own
/// items; see ``/PortcullisCore/AnchorReason``. It does not count changes of other items. The record reveals
/// an older copy that differs only in other items. If the anchor's own file was replaced as well, such a copy
/// is not noticed. The same applies to a copy from before the counter was set up.
public struct TPMAnchor: RollbackAnchor, RollbackCounter {
    private let keeper: any RollbackAnchor
    private let address: TPMAddress
    private let connect: @Sendable (TPMAddress) throws(ChipFailure) -> any ChipLine
    private let queue: ChipQueue

    /// Makes an anchor in a chip.
    ///
    /// - Parameters:
    ///   - address: the address of the chip that has the counter.
    ///   - records: the anchor that keeps the records, such as a `FileAnchor` beside the store. Its records
    ///     must last over a restart of the machine.
    public init(_ address: TPMAddress = .system, records: any RollbackAnchor) {
        self.init(address, records: records) { (address) throws(ChipFailure) in try TCTILine(address) }
    }

    init(
        _ address: TPMAddress,
        records: any RollbackAnchor,
        queue: ChipQueue = ChipQueue(),
        connect: @escaping @Sendable (TPMAddress) throws(ChipFailure) -> any ChipLine
    ) {
        (self.address, self.keeper, self.connect) = (address, records, connect)
        self.queue = queue
    }

    /// Claims the wrapped anchor; see ``/PortcullisCore/RollbackAnchor``.
    public func claim() throws(SecretStoreError) -> (any AnchorClaim)? { try keeper.claim() }

    /// The place where the wrapped anchor keeps the records.
    public var place: String { keeper.place }

    /// The counter in the chip.
    public var counter: (any RollbackCounter)? { self }

    /// Reads the records from the wrapped anchor; see ``/PortcullisCore/RollbackAnchor``.
    public func records() throws(SecretStoreError) -> [UInt8]? { try keeper.records() }

    /// Makes the wrapped anchor keep a record; see ``/PortcullisCore/RollbackAnchor``.
    public func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        try keeper.keep(record, turn: turn, for: reason)
    }

    /// Whether the chip counts a change that has this reason. Changes with the reason
    /// ``/PortcullisCore/AnchorReason/other`` are not counted, because the chip's memory is slow and wears
    /// out.
    public func counts(_ reason: AnchorReason) -> Bool { reason > .other }

    /// Makes the store's counter; see ``/PortcullisCore/RollbackCounter``.
    public func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32 {
        try onChip(toItsEnd: true) { (chip) throws(ChipFailure) in
            let tag = try Self.tag(of: store)
            for handle in Self.candidates(tag) {
                guard let found = try chip.index(at: handle), found.policy == tag else { continue }
                // If the counter is not written, an earlier set-up was ended before it raised the counter.
                if found == .counter(handle, policy: tag) { try chip.increment(found) }
                return handle
            }
            for handle in Self.candidates(tag) where try chip.index(at: handle) == nil {
                guard let hold = try StorageKeyHold(in: chip) else { throw .garbled }
                defer { hold.release(to: chip) }
                let session = try chip.startSession(.hmac, saltedTo: hold.key)
                defer { chip.flush(session) }
                let index = Chip.Index.counter(handle, policy: tag)
                try chip.define(index, authorization: nil, session)
                // A counter has no value before it is raised for the first time, so it is raised here.
                try chip.increment(index)
                return handle
            }
            throw ChipFailure(kind: .response(ChipCode.nvSpace.rawValue), command: "defineSpace")
        }
    }

    /// The counter's value; see ``/PortcullisCore/RollbackCounter``.
    public func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64? {
        try onChip { (chip) throws(ChipFailure) in
            let index = Chip.Index.counter(counter, policy: try Self.tag(of: store)).whenWritten
            guard try chip.index(at: counter) == index else { return nil }
            var number = WireReader(try chip.read(index, by: index))
            return try number.number()
        }
    }

    /// Raises the counter; see ``/PortcullisCore/RollbackCounter``.
    ///
    /// If an earlier call of this anchor still uses the chip after 30 seconds, this call throws. If the work
    /// for this call has begun, the call waits for the end without a limit. If the call threw during that
    /// work, the caller could call again, and the counter would rise twice.
    public func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError) {
        try onChip(toItsEnd: true) { (chip) throws(ChipFailure) in
            try chip.increment(Chip.Index.counter(counter, policy: try Self.tag(of: store)).whenWritten)
        }
    }

    /// Deletes the counter of a store that will no longer use a counter. This anchor then refuses the store
    /// until `GcryptKeystore.forgetCounter()` makes the store forget the counter.
    ///
    /// - Throws: ``/PortcullisCore/SecretStoreError``: `unavailable` if the chip fails.
    public func remove(for store: [UInt8]) throws(SecretStoreError) {
        try onChip { (chip) throws(ChipFailure) in
            let tag = try Self.tag(of: store)
            for handle in Self.candidates(tag) {
                if let index = try chip.index(at: handle), index.policy == tag { try chip.undefine(index) }
            }
        }
    }

    /// The digest that the index holds in place of a policy. It identifies the store that the counter belongs
    /// to.
    private static func tag(of store: [UInt8]) throws(ChipFailure) -> [UInt8] {
        try Chip.digest(Array("portcullis tpm anchor".utf8) + store)
    }

    /// The handles that the counter may have. They lie outside of the blocks for passcodes.
    private static func candidates(_ tag: [UInt8]) -> [UInt32] {
        stride(from: 0, to: 16, by: 2).map { offset in
            0x0180_0000 + UInt32(tag[offset]) << 8 | UInt32(tag[offset + 1])
        }
    }

    /// Runs a job that uses the chip. The call fails after 30 seconds.
    ///
    /// - Parameter toItsEnd: whether the call waits longer if the job has begun within the 30 seconds. The
    ///   call then waits until the job ends.
    private func onChip<Value: Sendable>(
        toItsEnd: Bool = false,
        _ body: @escaping @Sendable (Chip) throws(ChipFailure) -> Value
    ) throws(SecretStoreError) -> Value {
        let (address, connect) = (address, connect)
        do throws(ChipFailure) {
            return try queue.hold(toItsEnd: toItsEnd) { () throws(ChipFailure) in
                try Chip(try connect(address), pause: { Pause.hold($0) }).carryOut(body)
            }
        } catch {
            let cause = PasscodeSealerError(error, address)
            throw SecretStoreError(code: .unavailable, message: cause.message, cause: cause)
        }
    }
}
