internal import CGcrypt

/// Which libgcrypt this process works with.
package enum GcryptVersion {
    /// Its version, which may be later than that of the headers.
    package static var atRunTime: String? {
        unsafe gcry_check_version(nil).map { unsafe String(cString: $0) }
    }
}
