internal import PortcullisCore

/// Defines, reads, writes and deletes indexes in the chip's non-volatile memory.
extension Chip {
    /// The parts of an index's public area that this library uses.
    struct Index: Sendable, Hashable {
        let handle: UInt32
        var attributes: UInt32
        var policy: [UInt8]
        var size: UInt16

        /// The attribute bit that the chip sets at the first write (TPM 2.0 Part 2, 13.4).
        static let written: UInt32 = 1 << 29

        /// An index that counts wrong authorizations. Writing the index needs its policy, and reading it
        /// needs the owner's authorization. The chip's general lock-out after wrong authorizations (TPM 2.0
        /// Part 1, "dictionary attack protection") does not apply to the index.
        static func pinFail(_ handle: UInt32, policy: [UInt8]) -> Index {
            // The attributes are POLICYWRITE, PIN FAIL, OWNERREAD and NO_DA.
            Index(handle: handle, attributes: 0x0202_0088, policy: policy, size: 8)
        }

        /// An index that reserves a block of handles for one user. The index has the block's first handle and
        /// no counter. In place of a policy it holds a tag, which identifies the user.
        static func note(_ handle: UInt32, of tag: [UInt8]) -> Index {
            // The attributes are OWNERWRITE, OWNERREAD and NO_DA.
            Index(handle: handle, attributes: 0x0202_0002, policy: tag, size: 8)
        }

        /// A counter that only rises, with an empty authorization. In place of a policy it holds a tag, which
        /// identifies the store.
        static func counter(_ handle: UInt32, policy: [UInt8]) -> Index {
            // The attributes are AUTHWRITE, the type of a counter, AUTHREAD and NO_DA.
            Index(handle: handle, attributes: 0x0204_0014, policy: policy, size: 8)
        }

        var isWritten: Bool { attributes & Self.written != 0 }

        /// The index as the chip reports it after the first write.
        var whenWritten: Index {
            var index = self
            index.attributes |= Self.written
            return index
        }

        var area: [UInt8] {
            var area = Wire(handle, UInt16(0x000B), attributes)
            area.put(sized: policy)
            area.put(size)
            return area.bytes
        }

        func entity() throws(ChipFailure) -> Entity { Entity(handle, name: try Template.name(of: area)) }
    }

    /// Returns the index under a handle; `nil` if there is none.
    func index(at handle: UInt32) throws(ChipFailure) -> Index? {
        do throws(ChipFailure) {
            var answer = try run(.readIndex, [Entity(handle)])
            var area = WireReader(try answer.parameters.sized())
            let found: UInt32 = try area.number()
            let algorithm: UInt16 = try area.number()
            guard found == handle else { throw .garbled }
            // An index with another digest algorithm belongs to another program. It is returned without
            // attributes, so it equals no index of this library.
            let attributes: UInt32 = try area.number()
            let policy = try area.sized()
            return Index(
                handle: handle,
                attributes: algorithm == 0x000B ? attributes : 0,
                policy: policy,
                size: try area.number()
            )
        } catch {
            guard error.isNoSuchHandle else { throw error }
            return nil
        }
    }

    /// Defines an index. The authorization is encrypted on its way to the chip.
    func define(_ index: Index, authorization: SecretBytes?, _ session: ChipSession) throws(ChipFailure) {
        var rest = Wire()
        rest.put(sized: index.area)
        _ = try run(
            .defineSpace,
            [.owner],
            .session(session),
            first: authorization.map { .secret($0) } ?? .plain([]),
            rest: rest.bytes
        )
    }

    /// Deletes an index. A missing index is no error.
    func undefine(_ index: Index) throws(ChipFailure) {
        do throws(ChipFailure) {
            _ = try run(.undefineSpace, [.owner, try index.entity()], .empty)
        } catch {
            guard error.isNoSuchHandle else { throw error }
        }
    }

    /// Deletes the index of a failed seal, if the index is still in the chip. An error is ignored, because
    /// the next call of ``TPMPasscodeSealer/settle(_:context:recorded:)`` deletes the index too.
    ///
    /// No record names the index, so another process may have deleted the index meanwhile. That process may
    /// then have made its own index under the same handle. Its index has another policy, and is not deleted.
    func discard(_ index: Index) {
        guard let found = try? self.index(at: index.handle), found.policy == index.policy else { return }
        try? undefine(found)
    }

    /// Writes into an index.
    ///
    /// - Parameter authorizer: the entity whose authorization is used, such as the owner. If it is `nil`, the
    ///   index itself authorizes the write, under its policy.
    func write(
        _ bytes: [UInt8],
        to index: Index,
        by authorizer: Entity? = nil,
        _ authorization: Authorization
    ) throws(ChipFailure) {
        let entity = try index.entity()
        _ = try run(
            .write,
            [authorizer ?? entity, entity],
            authorization,
            first: .plain(bytes),
            rest: Wire(UInt16(0)).bytes
        )
    }

    /// Reads an index.
    ///
    /// - Parameter own: the index, if its own empty authorization is used; `nil` if the owner's authorization
    ///   is used.
    func read(_ index: Index, by own: Index? = nil) throws(ChipFailure) -> [UInt8] {
        let authorizer = if let own { try own.entity() } else { Entity.owner }
        var answer = try run(
            .read,
            [authorizer, try index.entity()],
            .empty,
            rest: Wire(index.size, UInt16(0)).bytes
        )
        return try answer.parameters.sized()
    }

    /// Adds one to a counter.
    func increment(_ index: Index) throws(ChipFailure) {
        let entity = try index.entity()
        _ = try run(.increment, [entity, entity], .empty)
    }

    /// Returns the handles that are in use, from `first` upwards.
    ///
    /// - Parameter count: the largest number of handles to request from the chip.
    func handles(from first: UInt32, count: Int) throws(ChipFailure) -> [UInt32] {
        var answer = try run(.getCapability, rest: Wire(UInt32(1), first, UInt32(count)).bytes)
        _ = try answer.parameters.number(UInt8.self)
        guard try answer.parameters.number(UInt32.self) == 1 else { throw .garbled }
        let found = Int(try answer.parameters.number(UInt32.self))
        guard found <= 1024 else { throw .garbled }
        var handles: [UInt32] = []
        for _ in 0..<found { handles.append(try answer.parameters.number()) }
        return handles
    }
}
