internal import PortcullisCore

/// Numbers that a file counts up by one: versions, sequences, generations, slot ids and epochs.
///
/// In practice none of these numbers reaches half of the largest value of its type. So a number above this
/// half is forged, and readers refuse it as damage. Writers use ``next(_:)``, which never returns a number
/// above this half. So the sum of two of these numbers does not overflow.
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
