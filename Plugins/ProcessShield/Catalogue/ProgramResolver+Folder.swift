/// Launches whose arguments depend on the working folder.
extension ProgramResolver {
    /// Launchers whose arguments mean the same in every folder: an app's id, or a path of an emulated system.
    static let folderless: Set = [
        "flatpak", "snap", "gtk-launch", "exo-open", "wine", "wine64", "wineloader", "wine-preloader",
        "wine64-preloader",
    ]

    /// The endings that an interpreter adds to the name of a module or class to find its file.
    private static let endings = [
        "", ".py", ".js", ".mjs", ".cjs", ".class", ".java", ".lua", ".pm", ".pl", ".rb", ".jl", ".php",
    ]

    /// Returns the id of the entry's folder if the folder contains a file that an argument of the command
    /// names: a module of Python, a class of Java, or a file that code in an argument reads. The app then
    /// counts as running only in this folder, because the same arguments run another program elsewhere. The
    /// result is `nil` if the folder contains no such file.
    ///
    /// The arguments may have any number of names, and the folder is searched for each of them. After
    /// ``mostNames`` names the search ends, and the folder's id is returned as if a file had been found.
    ///
    /// - Parameter words: the arguments.
    func home(of words: ArraySlice<String>, in folder: String) -> FileID? {
        var seen: Set<String> = []
        let isThere = words.lazy.flatMap(Self.names).contains { name in
            guard seen.insert(name).inserted else { return false }
            return seen.count > Self.mostNames
                || Self.endings.contains { FileID(path: "\(folder)/\(name)\($0)") != nil }
        }
        return isThere ? FileID(path: folder) : nil
    }

    /// The limit of names that are looked for in one folder. The command line of an app has fewer.
    static let mostNames = 64

    /// Splits a word at characters that do not occur in names, such as the quotes and brackets of a program
    /// text.
    private static func parts(of word: String) -> [Substring] {
        word.split { !($0.isLetter || $0.isNumber || "_./-".contains($0)) }
    }

    /// Returns the parts of a command's word that may be relative paths.
    private static func names(in word: String) -> [String] {
        parts(of: word).flatMap { part -> [String] in
            // An option's value may be in the option's own word, as in `-mgame` or `-Bmgame`.
            let values = part.hasPrefix("-") ? (2...3).map { String(part.dropFirst($0)) } : [String(part)]
            return values.filter { !$0.isEmpty && !$0.hasPrefix("/") && !$0.hasPrefix("-") }.flatMap {
                value in
                // A dot may be part of a file's name, or may separate packages in the name of a module or
                // class. So the value is also tried with slashes in place of dots, and cut off at its first
                // dot.
                [value, value.replacing(".", with: "/"), String(value.prefix { $0 != "." })]
                    .filter { $0.contains { $0 != "/" } }
            }
        }
    }

    /// Returns the word whose meaning depends on the working folder: a path that begins with a dot, or a
    /// class that Java looks for in the working folder. The result is `nil` if there is no such word.
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
