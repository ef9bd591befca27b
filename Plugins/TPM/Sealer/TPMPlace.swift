internal import Gcrypt
internal import PortcullisCore

/// The block of 64 handles in a chip that holds the indexes of one user's passcode. The index at the first
/// handle identifies the user.
///
/// The block's place follows from the scope and the context alone. So the next process finds the indexes that
/// a killed process has left. Another user's block, or another program, may already use some of these
/// handles. So each user has eight possible blocks, and gets the first free one.
struct TPMPlace: Sendable, Hashable {
    /// The upper half of the handles that the TCG's registry assigns to the owner of a chip.
    static let range: ClosedRange<UInt32> = 0x01A0_0000...0x01BF_FFFF
    private static let blockSize: UInt32 = 64

    /// The tag that identifies the user. The index at the block's first handle holds the tag.
    let tag: [UInt8]

    init(scope: [UInt8], context: String) throws(ChipFailure) {
        var wire = Wire()
        wire.put(sized: Array("portcullis tpm place".utf8))
        wire.put(sized: scope)
        wire.put(sized: Array(context.utf8))
        tag = try Chip.digest(wire.bytes)
    }

    /// The first handles of the user's possible blocks.
    private var candidates: [UInt32] {
        stride(from: 0, to: 16, by: 2).map { offset in
            let number = UInt32(tag[offset]) << 8 | UInt32(tag[offset + 1])
            return Self.range.lowerBound + number >> 1 * Self.blockSize
        }
    }

    /// Returns the user's block; `nil` if there is none.
    func block(in chip: Chip) throws(ChipFailure) -> Block? {
        for handle in candidates {
            if try chip.index(at: handle)?.policy == tag { return Block(note: handle) }
        }
        return nil
    }

    /// Returns the user's block, or makes one.
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
                    // The error `nvDefined` means that another process has just defined this handle. If
                    // that process runs for the same user, the outer loop finds its block and uses it.
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

        /// Returns the handles of the block's indexes.
        func found(in chip: Chip) throws(ChipFailure) -> [UInt32] {
            try chip.handles(from: indexes.lowerBound, count: indexes.count).filter(indexes.contains)
        }

        /// Makes an index under the first free handle. The index can be written only under the policy.
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
