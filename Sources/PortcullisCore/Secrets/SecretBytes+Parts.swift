/// Splits and joins secrets within protected memory.
extension SecretBytes {
    /// Returns a new secret with a copy of the bytes in a range.
    package func part(_ range: Range<Int>) -> SecretBytes {
        withBytes { SecretBytes(copying: $0.extracting(range)) }
    }

    /// Joins copies of these secrets, one after the other.
    package convenience init(joining pieces: [SecretBytes]) {
        self.init(capacity: pieces.reduce(0) { $0 + $1.count }) { output in
            for piece in pieces {
                piece.withBytes { bytes in for index in bytes.indices { output.append(bytes[index]) } }
            }
        }
    }
}
