internal import CGcrypt

/// The version of the libgcrypt that this process uses.
package enum GcryptVersion {
    /// The version at run time, which may be later than that of the headers; `nil` if libgcrypt does not tell it.
    package static var atRunTime: String? {
        unsafe gcry_check_version(nil).map { unsafe String(cString: $0) }
    }
}
