internal import Gcrypt
internal import PortcullisCore

/// The keys of one file: one for the heads of its frames, one for their contents.
final class FrameKeys: Sendable {
    let storeID: [UInt8]
    let fileGeneration: UInt64
    private let frames: SealingKey
    private let heads: HeadKey

    init(storeKey: SecretBytes, header: HeaderPage) throws(GcryptFailure) {
        storeID = header.storeID
        fileGeneration = header.fileGeneration
        var context = header.storeID
        context.append(header.fileGeneration)
        context += header.fileSalt
        frames = try SealingKey(try Digest.derive(from: storeKey, Array("portcullis frames".utf8), context))
        heads = try HeadKey(try Digest.derive(from: storeKey, Array("portcullis heads".utf8), context))
    }

    /// The content of a head whose MAC is right.
    struct Head {
        var sequence: UInt64
        var length: Int
        var directory: Int
    }

    /// Reads a frame's head. Returns `nil` if the head's MAC is wrong, or if the head has an invalid sequence
    /// number or length.
    @unsafe
    func head(_ bytes: UnsafeRawBufferPointer) throws(GcryptFailure) -> Head? {
        let mac = unsafe (
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
        let sequence = unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let length = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let masked = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let directory = masked ^ (try mask(mac))
        guard try self.mac(sequence, length, directory) == mac,
            sequence.isCounted, length <= Layout.largestFrame,
            length % UInt32(Layout.frameStep) == 0, Int(directory) <= Int(length) - Layout.frameOverhead
        else { return nil }
        return Head(sequence: sequence, length: Int(length), directory: Int(directory))
    }

    private func mac(
        _ sequence: UInt64,
        _ length: UInt32,
        _ directory: UInt32
    ) throws(GcryptFailure) -> (UInt64, UInt64) {
        var words = (sequence.littleEndian, length.littleEndian, directory.littleEndian)
        return try unsafe Swift.withUnsafeBytes(of: &words) { (bytes) throws(GcryptFailure) in
            try unsafe heads.mac(bytes)
        }
    }

    private func mask(_ mac: (UInt64, UInt64)) throws(GcryptFailure) -> UInt32 {
        var input = (mac.0, mac.1, UInt8(ascii: "D"))
        let output = try unsafe Swift.withUnsafeBytes(of: &input) { (bytes) throws(GcryptFailure) in
            try unsafe heads.mac(UnsafeRawBufferPointer(rebasing: bytes[..<17]))
        }
        return UInt32(truncatingIfNeeded: UInt64(littleEndian: output.0))
    }

    private func binding(_ sequence: UInt64, _ previousTag: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        // The capacity is reserved at once to avoid further allocations, because each frame that is read or
        // written has a binding.
        bytes.reserveCapacity(storeID.count + 16 + previousTag.count)
        bytes += storeID
        bytes.append(fileGeneration)
        bytes.append(sequence)
        bytes += previousTag
        return bytes
    }

    /// Checks the tag over a whole frame, then decrypts the frame's directory. Returns `nil` if the tag is wrong.
    @unsafe
    func directory(
        _ frame: UnsafeRawBufferPointer,
        _ head: Head,
        previousTag: [UInt8]
    ) throws(GcryptFailure) -> [UInt8]? {
        let start = Layout.headSize + SealingKey.nonceSize
        var plain = [UInt8](repeating: 0, count: head.directory)
        let bound = binding(head.sequence, previousTag)
        var plainSpan = plain.mutableSpan
        var mutable = unsafe plainSpan.mutableBytes
        let fits = try unsafe mutable.withUnsafeMutableBytes { (output) throws(GcryptFailure) in
            try unsafe bound.span.bytes.withUnsafeBytes { (bound) throws(GcryptFailure) in
                try unsafe frames.open(
                    UnsafeRawBufferPointer(rebasing: frame[start..<start + head.directory]),
                    into: output,
                    tag: UnsafeRawBufferPointer(rebasing: frame[(head.length - 16)..<head.length]),
                    nonce: UnsafeRawBufferPointer(rebasing: frame[Layout.headSize..<start]),
                    binding: bound,
                    UnsafeRawBufferPointer(rebasing: frame[(start + head.directory)..<(head.length - 16)])
                )
            }
        }
        return fits ? plain : nil
    }

    /// Makes a whole frame of these records and sealed values.
    func frame(
        sequence: UInt64,
        previousTag: [UInt8],
        records: FrameContent
    ) throws(GcryptFailure) -> [UInt8] {
        let bare = Layout.frameOverhead + 4 + records.directory.count + records.values.count
        let length = (bare + Layout.frameStep - 1) / Layout.frameStep * Layout.frameStep
        let directory = length - Layout.frameOverhead - records.values.count

        var frame: [UInt8] = []
        frame.reserveCapacity(length)
        let headMAC = try mac(sequence, UInt32(length), UInt32(directory))
        frame.append(sequence)
        frame.append(UInt32(length))
        frame.append(UInt32(directory) ^ (try mask(headMAC)))
        // The MAC's bytes are written as they lie in memory. `append` converts a number to little-endian, and
        // `UInt64(littleEndian:)` cancels that conversion.
        frame.append(UInt64(littleEndian: headMAC.0))
        frame.append(UInt64(littleEndian: headMAC.1))
        frame.appendRandom(SealingKey.nonceSize)
        let start = frame.count
        let valuesStart = start + directory
        frame.append(UInt32(records.records.count))
        frame += records.directory
        frame.append(contentsOf: repeatElement(0, count: valuesStart - frame.count))
        frame += records.values
        frame.append(contentsOf: repeatElement(0, count: SealingKey.tagSize))

        let bound = binding(sequence, previousTag)
        var frameSpan = frame.mutableSpan
        var mutable = unsafe frameSpan.mutableBytes
        try unsafe mutable.withUnsafeMutableBytes { (output) throws(GcryptFailure) in
            try unsafe bound.span.bytes.withUnsafeBytes { (bound) throws(GcryptFailure) in
                let place = unsafe UnsafeMutableRawBufferPointer(rebasing: output[start..<valuesStart])
                try unsafe frames.seal(
                    UnsafeRawBufferPointer(place),
                    into: place,
                    tag: UnsafeMutableRawBufferPointer(rebasing: output[(length - 16)...]),
                    nonce: UnsafeRawBufferPointer(rebasing: output[Layout.headSize..<start]),
                    binding: bound,
                    UnsafeRawBufferPointer(rebasing: output[valuesStart..<(length - 16)])
                )
            }
        }
        return frame
    }
}
