internal import CLinux
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The pane of tmux that the run is shown in.
///
/// While a person looks through a pane's history, tmux shows a copy of the pane's content (copy mode). Later
/// output of the program, even a covering screen, is shown only after copy mode has ended. A command of tmux
/// can end copy mode, but an escape sequence cannot.
struct TmuxPane: Sendable {
    private let arguments: [String]

    /// Finds the pane from `TMUX` (socket, process and session of the server) and `TMUX_PANE`; `nil` outside
    /// of tmux.
    init?(_ environment: ProcessVariables) {
        let pane = environment["TMUX_PANE"]
        guard let socket = environment["TMUX"].split(separator: ",").first, pane.hasPrefix("%") else {
            return nil
        }
        arguments = ["tmux", "-S", String(socket), "copy-mode", "-q", "-t", pane]
    }

    /// Ends the pane's copy mode, so that tmux shows the current content again. The call returns at once.
    ///
    /// If the program `tmux` cannot be started, or is older than 3.2, copy mode lasts until the person ends
    /// it.
    func showItself() {
        try? Threads.startAtOnce { [arguments] in
            var words = unsafe arguments.map { unsafe strdup($0) }
            unsafe words.append(nil)
            defer { for index in unsafe words.indices { unsafe free(words[index]) } }
            var process: pid_t = 0
            let failure = unsafe clinux_spawn_on_terminal(&process, "/dev/null", -1, "tmux", words, environ)
            guard failure == 0 else { return }
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
    }
}
