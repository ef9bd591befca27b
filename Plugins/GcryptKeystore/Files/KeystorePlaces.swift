/// Where an app's store and its key file lie by the XDG base directories.
public struct KeystorePlaces: Sendable, Hashable {
    /// The path of the store, `default.keystore` in the app's folder in `$XDG_DATA_HOME` or `~/.local/share`.
    ///
    /// `nil` where neither the variable nor `HOME` names a folder.
    public let store: String?
    /// The path of the key file, `default.key` in the app's folder in `$XDG_CONFIG_HOME` or `~/.config`; `nil` as ``store``.
    public let keyFile: String?

    /// The places of an app.
    ///
    /// - Parameters:
    ///   - app: the name of the app's folders.
    ///   - environment: the variables of the process. The specification ignores relative paths in them, and so does this.
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
