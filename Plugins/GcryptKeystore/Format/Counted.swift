internal import PortcullisCore

/// Numbers that a file counts up by one: versions, sequences, generations, slot ids and epochs.
///
/// None of them ever comes to half of its type's range, so a larger number is forged and is damage. Readers
/// refuse larger numbers and writers use ``next(_:)``, so no sum of them overflows.
extension FixedWidthInteger where Self: UnsignedInteger {
    static var largestCounted: Self { .max >> 1 }

    /// Whether counting up by one can have reached this number.
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
