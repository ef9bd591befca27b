internal import GcryptKeystore

/// The default paths of store and key file, in the XDG base directories.
enum StorePlaces {
    /// The store's default path, for help texts.
    static let shownStore = "portcullis/default.keystore in $XDG_DATA_HOME or ~/.local/share"
    /// The key file's default path, for help texts.
    static let shownKeyFile = "portcullis/default.key in $XDG_CONFIG_HOME or ~/.config"
    /// Both default paths, for the help of command groups, which list no options.
    static let shown = """
        The store is portcullis/default.keystore in $XDG_DATA_HOME or ~/.local/share, its key file \
        portcullis/default.key in $XDG_CONFIG_HOME or ~/.config; --store and --key-file name others.
        """

    static func store(_ environment: [String: String]) throws(ToolFailure) -> String {
        try known(KeystorePlaces(app: "portcullis", environment: environment).store, "XDG_DATA_HOME")
    }

    static func keyFile(_ environment: [String: String]) throws(ToolFailure) -> String {
        try known(KeystorePlaces(app: "portcullis", environment: environment).keyFile, "XDG_CONFIG_HOME")
    }

    private static func known(_ path: String?, _ variable: String) throws(ToolFailure) -> String {
        if let path { return path }
        throw ToolFailure(
            "neither \(variable) nor HOME is set: name the files with --store and --key-file",
            .usage
        )
    }
}
