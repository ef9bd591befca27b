public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Process {
    /// Kills the process, and waits until it has ended.
    ///
    /// On Linux, `waitUntilExit()` waits until the process and all processes that it has started have ended, because they
    /// inherit the socket by which Foundation notices the end
    /// ([#4795](https://github.com/swiftlang/swift-corelibs-foundation/issues/4795)). A process that a browser leaves behind
    /// would hold up the test run.
    ///
    /// - Parameter group: whether all processes of its process group are killed, if it leads one.
    public func killAndWait(group: Bool = false) {
        let id = processIdentifier
        kill(group && getpgid(id) == id ? -id : id, SIGKILL)
        var info = unsafe siginfo_t()
        // Foundation reaps the process, so its state is only looked at here. If Foundation has reaped it, this is an error.
        while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    }
}
