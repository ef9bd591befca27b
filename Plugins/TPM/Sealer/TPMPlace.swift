internal import Gcrypt
internal import PortcullisCore

/// Where in a chip the indexes of one user's passcode are: 64 handles, the first of which says whose they are.
///
/// It is found from the scope and the context alone, so that a process that was killed leaves nothing that the next one does
/// not find. Two users whose blocks would be the same one have others: each has eight to choose from.
struct TPMPlace: Sendable, Hashable {
    /// What belongs to the owner of a chip, by the TCG's registry, and of that the upper half.
    static let range: ClosedRange<UInt32> = 0x01A0_0000...0x01BF_FFFF
    private static let blockSize: UInt32 = 64

    /// Whose it is, as the note says it.
    let tag: [UInt8]

    init(scope: [UInt8], context: String) throws(ChipFailure) {
        var wire = Wire()
        wire.put(sized: Array("portcullis tpm place".utf8))
        wire.put(sized: scope)
        wire.put(sized: Array(context.utf8))
        tag = try Chip.digest(wire.bytes)
    }

    /// The first handles of the blocks that it may be in.
    private var candidates: [UInt32] {
        stride(from: 0, to: 16, by: 2).map { offset in
            let number = UInt32(tag[offset]) << 8 | UInt32(tag[offset + 1])
            return Self.range.lowerBound + number >> 1 * Self.blockSize
        }
    }

    /// The block that is there; `nil` where there is none.
    func block(in chip: Chip) throws(ChipFailure) -> Block? {
        for handle in candidates {
            if try chip.index(at: handle)?.policy == tag { return Block(note: handle) }
        }
        return nil
    }

    /// The block that is there, or a new one.
    func makeBlock(in chip: Chip, _ session: ChipSession) throws(ChipFailure) -> Block {
        for _ in 0..<4 {
            if let block = try block(in: chip) { return block }
            for handle in candidates
            where try chip.handles(from: handle, count: 1).first.map({
                $0 >= handle + Self.blockSize
            }) ?? true {
                do throws(ChipFailure) {
                    try chip.define(.note(handle, of: tag), authorization: nil, session)
                    return Block(note: handle)
                } catch {
                    // Another process was faster; whose block it is has to be looked at.
                    guard error.code == .nvDefined else { throw error }
                }
                break
            }
        }
        throw ChipFailure(kind: .response(ChipCode.nvSpace.rawValue), command: "defineSpace")
    }

    /// The handles of one block.
    struct Block: Sendable, Hashable {
        let note: UInt32
        var indexes: ClosedRange<UInt32> { note + 1...note + TPMPlace.blockSize - 1 }

        /// The indexes that are there.
        func found(in chip: Chip) throws(ChipFailure) -> [UInt32] {
            try chip.handles(from: indexes.lowerBound, count: indexes.count).filter(indexes.contains)
        }

        /// Makes the index that a policy may write, under the first handle that is free.
        func define(
            in chip: Chip,
            policy: [UInt8],
            authorization: SecretBytes,
            _ session: ChipSession
        ) throws(ChipFailure) -> Chip.Index {
            let taken = Set(try found(in: chip))
            for handle in indexes where !taken.contains(handle) {
                let index = Chip.Index.pinFail(handle, policy: policy)
                do throws(ChipFailure) {
                    try chip.define(index, authorization: authorization, session)
                    return index
                } catch {
                    guard error.code == .nvDefined else { throw error }
                }
            }
            throw ChipFailure(kind: .response(ChipCode.nvSpace.rawValue), command: "defineSpace")
        }
    }
}
