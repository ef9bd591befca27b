internal import PortcullisCore

/// Numbers that a file counts up by one: versions, sequences, generations, slot ids and epochs.
///
/// In practice none of these numbers reaches half of its type's range. So a larger number is forged, and
/// counts as damage. Readers refuse larger numbers, and writers use ``next(_:)``. So no sum of such numbers
/// overflows.
extension FixedWidthInteger where Self: UnsignedInteger {
    static var largestCounted: Self { .max >> 1 }

    /// Whether this number is small enough to have been reached by counting up by one.
    var isCounted: Bool { self <= .largestCounted }

    /// The number after this one.
    ///
    /// - Throws: `damaged` if a reader would refuse the next number.
    func next(_ path: String) throws(SecretStoreError) -> Self {
        guard self < .largestCounted else {
            throw .damaged("a number of this file cannot be counted on", path)
        }
        return self + 1
    }
}
