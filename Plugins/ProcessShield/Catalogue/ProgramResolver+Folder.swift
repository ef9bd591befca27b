/// The folder that the words of a launch belong to.
extension ProgramResolver {
    /// Launchers whose words mean the same in every folder: an app's id, or a path of an emulated system.
    static let folderless: Set = [
        "flatpak", "snap", "gtk-launch", "exo-open", "wine", "wine64", "wineloader", "wine-preloader",
        "wine64-preloader",
    ]

    /// The endings of files that interpreters find by a name without them.
    private static let endings = [
        "", ".py", ".js", ".mjs", ".cjs", ".class", ".java", ".lua", ".pm", ".pl", ".rb", ".jl", ".php",
    ]

    /// Returns the entry's folder if a name within the words lies in it: a module of Python, a class of Java, a file
    /// that a program text reads. In another folder the same words run another program.
    func home(of words: ArraySlice<String>, in folder: String) -> FileID? {
        let isThere = words.lazy.flatMap(Self.names).contains { name in
            Self.endings.contains { FileID(path: "\(folder)/\(name)\($0)") != nil }
        }
        return isThere ? FileID(path: folder) : nil
    }

    /// The pieces of a word between signs that stand in no name, such as quotes and brackets of a program text.
    private static func parts(of word: String) -> [Substring] {
        word.split { !($0.isLetter || $0.isNumber || "_./-".contains($0)) }
    }

    /// The names that may be relative paths within a word of a command.
    private static func names(in word: String) -> [String] {
        parts(of: word).flatMap { part -> [String] in
            // An option's value may stand in the option's own word, as in `-mgame` or `-Bmgame`.
            let values = part.hasPrefix("-") ? (2...3).map { String(part.dropFirst($0)) } : [String(part)]
            return values.filter { !$0.isEmpty && !$0.hasPrefix("/") && !$0.hasPrefix("-") }.flatMap {
                value in
                // A dot is a part of a file's name, or stands between the packages of a module or class.
                [value, value.replacing(".", with: "/"), String(value.prefix { $0 != "." })]
                    .filter { $0.contains { $0 != "/" } }
            }
        }
    }

    /// Returns the word that means another program in each folder: a path that begins with a dot, or a class that Java
    /// looks for in the working folder.
    func relative(in arguments: [String], upTo index: Int, by launcher: String) -> String? {
        let words = arguments[...index]
        let paths = words.lazy.flatMap(Self.parts)
        if let path = paths.first(where: {
            $0 == "." || $0 == ".." || $0.hasPrefix("./") || $0.hasPrefix("../")
        }) {
            return String(path)
        }
        let places: Set = ["-cp", "-classpath", "--class-path", "-p", "--module-path", "-m", "--module"]
        guard ProtectedPrograms.known(ExecLine.baseName(launcher)) == "java",
            !words.contains(where: { places.contains($0.parted(at: "=")?.before ?? $0) })
        else { return nil }
        return arguments[index]
    }
}
