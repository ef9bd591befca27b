extension Hasher {
    /// Adds the bytes of a text.
    ///
    /// A type that compares its texts byte by byte also hashes their bytes. Swift's own hash is the same for
    /// all texts that differ only in their Unicode form. If a set held many such texts, all of them would
    /// have one hash, and the set would compare each text with all others.
    package mutating func combine(bytesOf text: String) {
        // The UTF-8 bytes of a native string are contiguous, and are hashed in one step. For other strings, the loop
        // hashes the UTF-8 bytes one by one, which gives the same hash.
        let hashed: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe combine(bytes: UnsafeRawBufferPointer($0))
        }
        if hashed == nil { for byte in text.utf8 { combine(byte) } }
        // No text contains this byte. It separates the text from the next one.
        combine(0xFF as UInt8)
    }
}
