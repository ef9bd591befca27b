internal import PortcullisCore

/// What an app is on this machine, as far as it can be recognised.
struct Program: Hashable, Sendable {
    /// The programs and scripts that are the app's own.
    var files: [FileID: String] = [:]
    /// Files that were the app's own at an earlier look, the latest at the end: what they are called by now is not known.
    var formerFiles: [FileID] = []
    /// The paths of images that were the app's own at an earlier look.
    var formerImages: Set<String> = []
    /// Scripts among them: their interpreter is what runs.
    var scripts: Set<String> = []
    /// What runs it, where it is a script that says so.
    var interpreter: Interpreter?
    /// The app's id in the names of systemd's units, without `.desktop`.
    var unitID: String?
    /// Whether its file is an AppImage: what the file runs as only serves the files of what it is.
    var isImage = false
    /// What becomes of it when it runs.
    var policy = StopPolicy.freeze
    /// The tokens that name it, for those who are told of it.
    var token: AppToken?
    /// How the app looks when a shared launcher runs it.
    var launch: Launch?
    /// Programs that are left alone, whatever of the app's has started them: terminals, by what their entries say.
    var spared: Set<String> = []

    /// A shared launcher with the arguments that make it this app.
    struct Launch: Hashable, Sendable {
        /// The launcher's file name.
        var launcher: String
        /// The path of the launcher.
        var path: String
        /// The first arguments.
        var arguments: [String]
        /// The name on the way to the launcher that tells what it is, where its own does not.
        var knownAs: String?
        /// What follows the app's script among them; `nil` where no file but the arguments themselves name the app.
        var following: [String]?

        /// The name that tells what the launcher is.
        var known: String { knownAs ?? path }
    }

    /// Whether a start can be denied by the file that is opened for it.
    var canBeGated: Bool { !files.isEmpty && launch == nil }

    /// Whether a process is this app.
    func matches(_ process: RunningProcess) -> Bool {
        if isImage {
            return formerImages.union(files.values).contains { AppImage.isRun(from: $0, by: process) }
        }
        if let executable = process.executable, owns(executable) { return true }
        // A file that was replaced meanwhile is another one, at the same path. In another root that path is another file,
        // and where other things are mounted it may be.
        if let path = process.executablePath, files.values.contains(where: path.isSamePath(as:)),
            process.isInOwnRoot, process.isReplaced || process.hasOwnMounts
        {
            return true
        }
        if isKnownByUnit, let unitID, let unit = process.unit, SystemdUnit.isApp(unit, of: unitID) {
            return true
        }
        return isRun(by: process)
    }

    /// Whether a file is the app's own, or was at an earlier look.
    func owns(_ file: FileID) -> Bool { files[file] != nil || formerFiles.contains(file) }

    /// Whether all that runs in the app's unit counts as the app, because no file says what does: a launcher or a wrapper
    /// goes on as another program. Of any other app, what a person has opened from it may be in its unit as well.
    var isKnownByUnit: Bool {
        // A shell's text may start more than the file that it ends as.
        let isText = launch != nil && launch?.following == nil
        if !isText, files.values.contains(where: { !scripts.contains($0) }) { return false }
        guard let runner = launch.map(\.known) ?? interpreter?.path, launch == nil || launch?.following != nil
        else { return true }
        return ProtectedPrograms.reason(for: runner) == ProtectedPrograms.shellReason
    }

    /// Whether a shell or a launcher runs this app.
    func isRun(by process: RunningProcess) -> Bool {
        // Only what can be a launcher or an interpreter is asked for its arguments: reading them costs.
        guard launch != nil || !scripts.isEmpty, let path = process.executablePath else { return false }
        // The file of a launcher may have a name that says nothing.
        let runsOthers =
            ProtectedPrograms.runsOthers(path) || launch.map { path.isSamePath(as: $0.path) } == true
        let interpreter = interpreter.flatMap { path.isSamePath(as: $0.path) ? $0 : nil }
        guard runsOthers || interpreter != nil else { return false }
        let words = process.arguments()
        guard let name = words.first else { return false }
        let arguments = Array(words.dropFirst())
        if let interpreter, !runsOthers {
            return interpreter.place(ofScriptIn: arguments).map { isOwn(arguments[$0], of: process) } ?? false
        }
        if let launch, launch.following == nil {
            let names = [path, name, launch.path].map(ExecLine.baseName)
            return arguments.starts(with: launch.arguments)
                && (names[..<2].contains(launch.launcher) || names[0] == names[2])
        }
        guard case .file(let index) = LaunchGrammar.subject(program: path, called: name, arguments) else {
            return false
        }
        return arguments[(index + 1)...].starts(with: launch?.following ?? [])
            && isOwn(arguments[index], of: process)
    }

    /// Whether a process means a script of this app by a path.
    private func isOwn(_ script: String, of process: RunningProcess) -> Bool {
        let folder = process.folder
        let isWhole = script.hasPrefix("/")
        // As the process sees it: it may be in another folder than this one, and have a root of its own.
        if let id = FileID(path: isWhole ? "\(folder)/root\(script)" : "\(folder)/cwd/\(script)"),
            owns(id)
        {
            return true
        }
        // A file that was replaced meanwhile is another one, at the same path.
        guard process.isInOwnRoot else { return false }
        let place = isWhole ? script : SmallFiles.link("\(folder)/cwd").map { "\($0)/\(script)" }
        guard let place else { return false }
        return scripts.contains(where: place.isSamePath(as:))
            || SmallFiles.realPath(place).map { scripts.contains(where: $0.isSamePath(as:)) } == true
    }
}

/// Names of systemd's units for apps: `app-LAUNCHER-ID-RANDOM.scope`, `app-ID@RANDOM.service`, and without a launcher.
enum SystemdUnit {
    static func isApp(_ unit: String, of id: String) -> Bool {
        guard unit.hasPrefix("app-") else { return false }
        var name = unit.dropFirst(4)
        if name.hasSuffix(".scope") {
            // The last part, with the ending, is random; an id has its dashes escaped.
            guard let dash = name.lastIndex(of: "-") else { return false }
            name = name[..<dash]
        } else if name.hasSuffix(".service") {
            name.removeLast(8)
            if let at = name.firstIndex(of: "@") { name = name[..<at] }
        } else {
            return false
        }
        let last = name.lastIndex(of: "-").map { name[name.index(after: $0)...] } ?? name
        return last == escaped(id)
    }

    static func escaped(_ id: String) -> String {
        id.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            if isPlain || ":_.".unicodeScalars.contains(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }
}
