internal import PortcullisCore

/// The files, scripts and units by which an app is recognised on this machine.
struct Program: Hashable, Sendable {
    /// The paths of the app's own programs and scripts, by file.
    var files: [FileID: String] = [:]
    /// Files that belonged to the app when it was resolved earlier, with the latest at the end. Their present
    /// paths are unknown.
    var formerFiles: [FileID] = []
    /// The paths of AppImages that belonged to the app when it was resolved earlier.
    var formerImages: Set<String> = []
    /// The paths of scripts among `files`. The process of a script runs the script's interpreter.
    var scripts: Set<String> = []
    /// The interpreter that the first line of the app's script names; `nil` if there is none.
    var interpreter: Interpreter?
    /// The app's id in the names of systemd's units, without `.desktop`.
    var unitID: String?
    /// Whether the app's file is an AppImage. The process that runs this file mounts the image and only
    /// serves the mounted files. The app runs in other processes.
    var isImage = false
    /// How a running process of the app is stopped.
    var policy = StopPolicy.freeze
    /// The app's token, for reports.
    var token: AppToken?
    /// The shared launcher that runs the app, with its arguments; `nil` if no shared launcher runs the app.
    var launch: Launch?
    /// The paths of the terminals that desktop entries name. The processes of these terminals are never
    /// stopped, even if the app has started them.
    var spared: Set<String> = []

    /// A shared launcher with the arguments that make it run this app.
    struct Launch: Hashable, Sendable {
        /// The launcher's file name.
        var launcher: String
        /// The path of the launcher.
        var path: String
        /// The first arguments of the launcher. They identify the app.
        var arguments: [String]
        /// The path of a link whose name identifies the launcher; `nil` if the name of the launcher's own
        /// file identifies it.
        var knownAs: String?
        /// The arguments after the app's script; `nil` if the launcher's arguments name the app without a
        /// script's file.
        var following: [String]?
        /// The working folder that a process must have to count as this app; `nil` if any folder will do. For
        /// example, `python3 -m game` runs a different program in each folder that has a `game.py`.
        var home: FileID?

        /// The path whose last component identifies the launcher.
        var known: String { knownAs ?? path }
    }

    /// The paths of the app's own programs and scripts.
    var paths: [ExactPath] { files.values.map { ExactPath($0) } }

    /// Whether the gate can deny the app's start at the moment when the kernel opens the app's file.
    var canBeGated: Bool { !files.isEmpty && launch == nil }

    /// Whether a process is this app.
    func matches(_ process: RunningProcess) -> Bool {
        if isImage {
            return formerImages.union(files.values).contains { AppImage.isRun(from: $0, by: process) }
        }
        if let executable = process.executable, owns(executable) { return true }
        // The paths are compared as well, because a process still runs its old file after the file was
        // replaced. Equal paths count only if the process has the same root as the shielding process. In
        // addition, the process must have the same mounts as the shielding process, or its file must have
        // been replaced.
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

    /// Whether a file belongs to the app now, or belonged to it when the app was resolved earlier.
    func owns(_ file: FileID) -> Bool { files[file] != nil || formerFiles.contains(file) }

    /// Whether every process in the app's systemd unit counts as the app. The value is `true` if no file
    /// identifies the app's processes, because a launcher or a wrapper replaces itself with another program.
    /// For all other apps the value is `false`, because the unit may also hold programs that the person
    /// opened from the app.
    var isKnownByUnit: Bool {
        // The text of `sh -c` may start further programs besides the program that replaces the shell. So the
        // files of an app that such a text starts do not identify all processes of the app.
        let isText = launch != nil && launch?.following == nil
        if !isText, files.values.contains(where: { !scripts.contains($0) }) { return false }
        guard let runner = launch.map(\.known) ?? interpreter?.path, launch == nil || launch?.following != nil
        else { return true }
        return ProtectedPrograms.reason(for: runner) == ProtectedPrograms.shellReason
    }

    /// Whether a shell or a launcher runs this app.
    func isRun(by process: RunningProcess) -> Bool {
        // Reading arguments is expensive, so they are read only for possible launchers and interpreters.
        guard launch != nil || !scripts.isEmpty, let path = process.executablePath else { return false }
        // The table of known programs may lack the name of the launcher's file, so the launcher's path is compared as
        // well.
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
            if let home = launch.home, FileID(path: "\(process.folder)/cwd") != home { return false }
            return arguments.starts(with: launch.arguments)
                && (names[..<2].contains(launch.launcher) || names[0] == names[2])
        }
        guard case .file(let index) = LaunchGrammar.subject(program: path, called: name, arguments) else {
            return false
        }
        return arguments[(index + 1)...].starts(with: launch?.following ?? [])
            && isOwn(arguments[index], of: process)
    }

    /// Whether a path among a process's arguments leads to a script of this app.
    private func isOwn(_ script: String, of process: RunningProcess) -> Bool {
        let folder = process.folder
        let isWhole = script.hasPrefix("/")
        // The path is resolved as the process sees it, since the process may have another working folder and
        // another root.
        if let id = FileID(path: isWhole ? "\(folder)/root\(script)" : "\(folder)/cwd/\(script)"),
            owns(id)
        {
            return true
        }
        // A replaced script is another file at the same path, so the paths are compared as well.
        guard process.isInOwnRoot else { return false }
        let place = isWhole ? script : SmallFiles.link("\(folder)/cwd").map { "\($0)/\(script)" }
        guard let place else { return false }
        return scripts.contains(where: place.isSamePath(as:))
            || SmallFiles.realPath(place).map { scripts.contains(where: $0.isSamePath(as:)) } == true
    }
}

/// The names of systemd's units for apps: `app-LAUNCHER-ID-RANDOM.scope` and
/// `app-LAUNCHER-ID@RANDOM.service`. Both forms also occur without `LAUNCHER-`.
enum SystemdUnit {
    static func isApp(_ unit: String, of id: String) -> Bool {
        guard unit.hasPrefix("app-") else { return false }
        var name = unit.dropFirst(4)
        if name.hasSuffix(".scope") {
            // The part after the last dash is random and is removed. The dashes of the id itself are escaped,
            // so the last dash is not part of the id.
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
