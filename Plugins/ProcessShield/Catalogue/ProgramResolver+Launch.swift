extension ProgramResolver {
    /// Resolves an app that a shared launcher or a shell runs. The script or the arguments of the launcher
    /// identify the app.
    ///
    /// - Parameters:
    ///   - launcher: the launcher's path with all links resolved.
    ///   - known: the path whose name identifies the launcher. It is `launcher` itself, or else the last link
    ///     to it that has the name of a listed launcher or shell.
    func resolve(
        launch app: DesktopCatalogue.App,
        by launcher: String,
        knownAs known: String,
        unitID: String,
        in listing: Listing
    ) -> Resolution {
        let arguments = app.command.arguments
        let name = ExecLine.baseName(app.path)
        let unnamed = Resolution.refused("nothing in its entry tells which app \(name) is to run")
        if let id = SystemdUnit.id(ofSnapAt: app.path), ExecLine.baseName(launcher) == "snap" {
            // The program itself is not known here. So the snap's name and its app's name are each looked up
            // among the protected programs.
            let reason = id.split(separator: "_").lazy.compactMap {
                ProtectedPrograms.reason(for: String($0))
            }.first
            return reason.map(Resolution.refused) ?? .program(Program(unitID: id))
        }
        guard !arguments.isEmpty else {
            return ProtectedPrograms.reason(for: known).map(Resolution.refused) ?? unnamed
        }
        var launch = Program.Launch(launcher: name, path: launcher, arguments: arguments)
        if known != launcher { launch.knownAs = known }
        let program = Program(unitID: unitID, launch: launch)
        switch LaunchGrammar.subject(program: known, called: name, arguments) {
        case nil: return unnamed
        case .words(let index):
            guard !arguments.contains(where: WebApp.isPage) else { return .refused(WebApp.reason) }
            guard let folder = app.folder else {
                guard let word = relative(in: arguments, upTo: index, by: known) else {
                    return .program(program)
                }
                return .refused("its entry does not say in which folder '\(word)' is")
            }
            var program = program
            if !Self.folderless.contains(ProtectedPrograms.known(ExecLine.baseName(known)) ?? "") {
                program.launch?.home = home(of: arguments[...index], in: folder)
            }
            return .program(program)
        case .text(let index):
            let text = arguments[index]
            if let reason = WebApp.refusal(ofScript: text, isShell: true) { return .refused(reason) }
            if let reason = ShellText.refusal(of: text) { return .refused(reason) }
            var program = program
            // A text with `cd` may change the shell's working folder. In that case the folder of the desktop
            // entry does not identify the app's processes, and `home` stays `nil`.
            if let folder = app.folder, !text.contains("cd ") {
                program.launch?.home = home(of: [text], in: folder)
            }
            return resolve(text: text, of: app, as: program, in: listing)
        case .file(let index):
            // An argument with a colon names no file of this system. It is an address, or a path of an
            // emulated system such as `C:\game.exe`.
            if arguments[index].contains(":") {
                return isNamed(arguments, index) ? .program(program) : unnamed
            }
            return resolve(script: arguments[index], at: index, of: program, in: app.folder, listing)
        }
    }

    /// Resolves an app that a shell's program text starts. The app is the program that finally replaces the
    /// shell.
    private func resolve(
        text: String,
        of app: DesktopCatalogue.App,
        as program: Program,
        in listing: Listing
    ) -> Resolution {
        switch ShellEnd(of: text, in: app.folder, find: { catalogue.find($0) }) {
        case .untold: return .refused(ShellEnd.reason)
        case .command(let command, let folder):
            guard let path = catalogue.find(command.program, in: folder) else {
                if command.program.contains(where: { "$`~*?(){}".contains($0) }) {
                    return .refused(ShellEnd.reason)
                }
                return command.program.contains("/") && !command.program.hasPrefix("/") && folder == nil
                    ? .refused("its entry does not say in which folder '\(command.program)' is") : .unresolved
            }
            return resolveAsProgram(app.started(by: command, at: path, in: folder), in: listing)
        case .several(let last, let folder):
            var program = program
            // The last command may be a system command that only waits or reports an error. Such a command is
            // not the app.
            let way = catalogue.find(last.program, in: folder).map(SmallFiles.way) ?? []
            if let real = way.last, !ShellEnd.isOfSystem(real), let status = FileStatus(path: real),
                status.isExecutable, listing.reason(for: way, status) == nil,
                self.program(namedBy: last.arguments, of: way[0], in: folder) == nil
            {
                if isHidden(real, status) { return .refused(Self.hidden) }
                program.files[status.id] = real
            }
            return .program(program)
        }
    }

    /// Resolves an app that is a script. The script's file identifies the app, whatever path leads to the
    /// file and whatever launcher runs it.
    private func resolve(
        script: String,
        at index: Int,
        of program: Program,
        in folder: String?,
        _ listing: Listing
    ) -> Resolution {
        guard let launch = program.launch else { return .program(program) }
        let folder = script.hasPrefix("/") ? "" : folder.map { "\($0)/" }
        guard let folder else {
            return .refused("its entry does not say in which folder '\(script)' is")
        }
        // In `/dev` and `/proc`, one path may lead to a different file in each process. An example is
        // `/dev/stdin`.
        if ["/dev/", "/proc/"].contains(where: (folder + script).hasPrefix) {
            return .refused("its entry runs '\(script)', which is another file in each process")
        }
        let way = SmallFiles.way(to: folder + script)
        guard let real = way.last, let status = FileStatus(path: real) else {
            return .unresolved
        }
        guard status.isRegular else {
            return .refused("its entry runs '\(script)', which is no file")
        }
        if let reason = listing.reason(for: way, status) { return .refused(reason) }
        let isShell = ProtectedPrograms.reason(for: launch.known) == ProtectedPrograms.shellReason
        if case .script(let text) = scripts.read(real),
            let reason = WebApp.refusal(ofScript: text, isShell: isShell)
        {
            return .refused(reason)
        }
        var program = program
        program.files[status.id] = real
        program.scripts = [real, folder + script]
        program.launch?.following = Array(launch.arguments[(index + 1)...])
        return .program(program)
    }

    /// Whether a path of an emulated system and the arguments after it name an app. A program such as
    /// `start.exe` is no app, because it only starts other programs. After such a program, another argument
    /// must name the app, as in `C:\windows\command\start.exe /unix game.exe`.
    private func isNamed(_ arguments: [String], _ index: Int) -> Bool {
        let program = arguments[index].split { $0 == "\\" || $0 == "/" }.last?.lowercased() ?? ""
        guard ["start.exe", "cmd.exe", "explorer.exe", "rundll32.exe", "msiexec.exe"].contains(program) else {
            return true
        }
        return arguments[(index + 1)...].contains { word in
            // A slash with only letters after it, or nothing, is an option of Windows, such as `/wait`.
            !word.isEmpty && !(word.hasPrefix("/") && word.dropFirst().allSatisfy(\.isLetter))
        }
    }
}
