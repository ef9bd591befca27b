/// The paths of an app's store and of its key file by the XDG base directory specification.
public struct KeystorePlaces: Sendable, Hashable {
    /// The path of the store, `default.keystore` in the app's folder in `$XDG_DATA_HOME` or `~/.local/share`.
    ///
    /// `nil` if neither the variable nor `HOME` names a folder.
    public let store: String?
    /// The path of the key file, `default.key` in the app's folder in `$XDG_CONFIG_HOME` or `~/.config`;
    /// `nil` if neither the variable nor `HOME` names a folder.
    public let keyFile: String?

    /// Finds the paths of an app's store and key file.
    ///
    /// - Parameters:
    ///   - app: the name of the app's folders.
    ///   - environment: the environment variables of the process. Relative paths in them are ignored, as the
    ///     specification demands.
    public init(app: String, environment: [String: String]) {
        func folder(_ variable: String, or fallback: String) -> String? {
            if let folder = environment[variable], folder.hasPrefix("/") { return folder }
            guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
            return "\(home)/\(fallback)"
        }
        store = folder("XDG_DATA_HOME", or: ".local/share").map { "\($0)/\(app)/default.keystore" }
        keyFile = folder("XDG_CONFIG_HOME", or: ".config").map { "\($0)/\(app)/default.key" }
    }
}
