internal import PortcullisCore

/// Numbers that a file counts with: versions, sequences, generations, slot ids and epochs.
///
/// Each rises by one at a time, so that none comes to half of its type's range: a larger number is forged,
/// and is damage. Readers refuse those and writers ask for the ``next(_:)``, so no sum of them overflows.
extension FixedWidthInteger where Self: UnsignedInteger {
    static var largestCounted: Self { .max >> 1 }

    /// Whether counting can have come to this number.
    var isCounted: Bool { self <= .largestCounted }

    /// The number after this one.
    ///
    /// - Throws: `damaged` when no reader would take it.
    func next(_ path: String) throws(SecretStoreError) -> Self {
        guard self < .largestCounted else {
            throw .damaged("a number of this file cannot be counted on", path)
        }
        return self + 1
    }
}
