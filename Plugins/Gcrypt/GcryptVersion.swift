internal import CGcrypt

/// The version of the libgcrypt that this process uses.
package enum GcryptVersion {
    /// The version at run time; `nil` if libgcrypt does not report it. It may be later than the version of
    /// the headers.
    package static var atRunTime: String? {
        unsafe gcry_check_version(nil).map { unsafe String(cString: $0) }
    }
}
