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
    /// The paths of the scripts among `files`: the real paths, and the paths by which the scripts are named.
    /// The process of a script runs the script's interpreter.
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
    /// The app's token, for reports and for the record of stopped processes.
    var token: AppToken?
    /// The chosen categories that the app is in. Only ``ResolvedSelection/stoppable`` sets them.
    var categories: Set<CategoryToken> = []
    /// The shared launcher that runs the app, with its arguments; `nil` if no shared launcher runs the app.
    var launch: Launch?
    /// The paths of the terminals that desktop entries name. The processes of these terminals are never
    /// stopped, even if the app has started them.
    var spared: Set<String> = []

    /// A shared launcher with the arguments that make it run this app.
    struct Launch: Hashable, Sendable {
        /// The name by which the app's command starts the launcher.
        var launcher: String
        /// The launcher's path with all links resolved.
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

    /// Whether the gate can deny the app's start. The gate needs a file of the app, and cannot deny the start
    /// of an app that a shared launcher runs.
    var canBeGated: Bool { !files.isEmpty && launch == nil }

    /// Whether the app may start without an opening of one of its ``paths`` or of its launcher's file.
    ///
    /// The present paths of former files are unknown. The program of a snap is not known at all. An AppImage
    /// may start its programs long after its own file was opened. If only a launcher's arguments or a unit
    /// identify the app, another build of the launcher may run it. Such a launcher may also have it started
    /// by another process, long after the launcher's file was opened.
    var mayStartUnseen: Bool {
        isImage || !formerFiles.isEmpty || launch.map { $0.following == nil } ?? files.isEmpty
    }

    /// The paths of the app's AppImages, now and when the app was resolved earlier; empty if the app is no
    /// AppImage.
    var images: Set<String> { isImage ? formerImages.union(files.values) : [] }

    /// Whether a process is this app.
    func matches(_ process: RunningProcess) -> Bool {
        if isImage { return images.contains { AppImage.isRun(from: $0, by: process) } }
        if let executable = process.executable, owns(executable) { return true }
        // The paths are compared as well, because a process still runs its old file after the file was
        // replaced.
        if let path = process.executablePath, files.values.contains(where: path.isSamePath(as:)),
            process.hasOwnPath
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

    /// Whether every process in the app's systemd unit counts as the app.
    ///
    /// The value is `true` if a launcher or a shell may replace itself with another program, so that no known
    /// file identifies the app's processes. For all other apps the value is `false`, because the unit may
    /// also hold programs that the person opened from the app.
    var isKnownByUnit: Bool {
        // The text of `sh -c` may start several programs, and only one of them can replace the shell. If such
        // a text starts the app, the known files do not identify all processes of the app.
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
        // The table of known programs may lack the name of the launcher's file, so the launcher's path is
        // compared as well.
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
            guard arguments.starts(with: launch.arguments),
                names[..<2].contains(launch.launcher) || names[0] == names[2]
            else { return false }
            // The working folder may be on a file system that does not answer, so it is compared last.
            return launch.home == nil || launch.home == FileID(path: "\(process.folder)/cwd")
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
