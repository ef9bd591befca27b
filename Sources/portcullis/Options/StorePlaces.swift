#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Where store and key file lie unless told otherwise: the XDG base directories.
enum StorePlaces {
    /// The store's place as help texts name it.
    static let shownStore = "portcullis/default.keystore in $XDG_DATA_HOME or ~/.local/share"
    /// The key file's place as help texts name it.
    static let shownKeyFile = "portcullis/default.key in $XDG_CONFIG_HOME or ~/.config"
    /// For the help of command groups, which list no options.
    static let shown = """
        The store is portcullis/default.keystore in $XDG_DATA_HOME or ~/.local/share, its key file \
        portcullis/default.key in $XDG_CONFIG_HOME or ~/.config; --store and --key-file name others.
        """

    static func store(_ environment: [String: String]) throws(ToolFailure) -> String {
        try folder("XDG_DATA_HOME", or: ".local/share", environment) + "/portcullis/default.keystore"
    }

    static func keyFile(_ environment: [String: String]) throws(ToolFailure) -> String {
        try folder("XDG_CONFIG_HOME", or: ".config", environment) + "/portcullis/default.key"
    }

    /// The specification ignores relative paths in these variables, and so do we.
    private static func folder(
        _ variable: String,
        or fallback: String,
        _ environment: [String: String]
    ) throws(ToolFailure) -> String {
        if let folder = environment[variable], folder.hasPrefix("/") { return folder }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw ToolFailure(
                "neither \(variable) nor HOME is set: name the files with --store and --key-file",
                .usage
            )
        }
        return "\(home)/\(fallback)"
    }
}
