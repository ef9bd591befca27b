import Foundation
import LinuxSystem
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Synchronization

/// The real files, counted, with failures on demand.
final class FaultyFiles: KeystoreFiles {
    struct Script {
        var counts: [String: Int] = [:]
        /// Which calls fail, with which number; a call that fails does nothing.
        var failures: [String: Int32] = [:]
        /// A folder in which no file can be made, or opened for writing.
        var closedFolder: String?
        /// Writes of which only so many bytes reach the file.
        var shortWrite: Int?
        /// After so many more writes and syncs everything that changes a file fails, as after a crash.
        var stepsLeft: Int?
        /// The number of the one write from now on that fails, and its error.
        var failingWrite: (left: Int, number: Int32)?
        /// Runs before the first opening of the file at this path, and not again.
        var beforeOpen: (path: String, run: @Sendable () -> Void)?
        /// Runs before the read of this number from now on, and not again.
        var beforeRead: (left: Int, run: @Sendable () -> Void)?
        /// Runs before the next question for what a file is, and not again. The lock's file does not count.
        var beforeStatus: (@Sendable () -> Void)?
        /// Runs after the next question for what a file is, and not again. The lock's file does not count.
        var afterStatus: (@Sendable () -> Void)?
        /// Runs before the first try to get a lock, and not again.
        var beforeLock: (@Sendable () -> Void)?
        var beforeLink: (@Sendable () -> Void)?
        var beforeSync: (@Sendable () -> Void)?
        var beforeWatch: (@Sendable () -> Void)?
        /// Runs before the next write of more than a byte, and not again.
        var beforeWrite: (@Sendable () -> Void)?
        /// When files say that they were changed, whenever that was.
        var changed: UInt64?
        /// What the clock says, where it stands still.
        var now: UInt64?
        var seconds: UInt64 = 0
        /// The blocks of 4096 bytes that a file takes up, and how many there are on the disk.
        var blocks: (taken: Set<UInt64>, most: Int)?
        /// How many locks are held.
        var locks = 0
    }

    let script = Mutex(Script())
    private let real = POSIXFiles()

    func fail(_ call: String, _ number: Int32?) { script.withLock { $0.failures[call] = number } }

    func failAfter(_ steps: Int?) { script.withLock { $0.stepsLeft = steps } }

    func failWrite(_ index: Int, _ number: Int32) { script.withLock { $0.failingWrite = (index, number) } }

    func counted() -> [String: Int] {
        script.withLock { script in
            defer { script.counts = [:] }
            return script.counts
        }
    }

    private func note(_ call: String) throws(SystemCallError) {
        let number = script.withLock { script -> Int32? in
            script.counts[call, default: 0] += 1
            if let left = script.stepsLeft, ["pwrite", "fdatasync", "ftruncate", "rename"].contains(call) {
                if left == 0 { return EIO }
                script.stepsLeft = left - 1
            }
            if call == "pwrite", let failing = script.failingWrite {
                script.failingWrite = failing.left > 1 ? (failing.left - 1, failing.number) : nil
                if failing.left == 1 { return failing.number }
            }
            return script.failures[call]
        }
        if let number { throw SystemCallError(errno: number, call: call) }
    }

    var user: UInt32 { real.user }
    /// A second later each time: what was seen before is not young any more.
    var now: UInt64 {
        script.withLock { script in
            script.seconds += 1
            return script.now ?? script.seconds * 1_000_000_000
        }
    }

    func open(_ path: String, _ mode: OpenMode) throws(SystemCallError) -> Int32 {
        let hook = script.withLock { script -> (@Sendable () -> Void)? in
            guard script.beforeOpen?.path == path else { return nil }
            defer { script.beforeOpen = nil }
            return script.beforeOpen?.run
        }
        hook?()
        if mode != .read, let folder = script.withLock({ $0.closedFolder }), path.hasPrefix(folder + "/") {
            throw SystemCallError(errno: EACCES, call: "open")
        }
        switch mode {
        case .read: try note("open-read")
        default: try note("open-write")
        }
        return try real.open(path, mode)
    }
    func close(_ file: Int32) { real.close(file) }
    func status(of file: Int32) throws(SystemCallError) -> FileStatus {
        try note("fstat")
        runBeforeStatus()
        defer { runAfterStatus() }
        return try real.status(of: file)
    }
    func datedStatus(of file: Int32) throws(SystemCallError) -> FileStatus {
        try note("fstat")
        runBeforeStatus()
        defer { runAfterStatus() }
        var status = try real.datedStatus(of: file)
        if let changed = script.withLock({ $0.changed }) { status.changed = changed }
        return status
    }
    private func runBeforeStatus() {
        script.withLock { script in
            defer { script.beforeStatus = nil }
            return script.beforeStatus
        }?()
    }
    private func runAfterStatus() {
        script.withLock { script in
            defer { script.afterStatus = nil }
            return script.afterStatus
        }?()
    }
    func status(at path: String) throws(SystemCallError) -> FileStatus? {
        if path.hasSuffix(".lock") { return try real.status(at: path) }
        runBeforeStatus()
        defer { runAfterStatus() }
        return try real.status(at: path)
    }
    @unsafe
    func read(
        _ file: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: UInt64
    ) throws(SystemCallError) -> Int {
        let hook = script.withLock { script -> (@Sendable () -> Void)? in
            // What is as short is the notice in the lock's file.
            guard buffer.count >= 16, let next = script.beforeRead else { return nil }
            script.beforeRead = next.left > 1 ? (next.left - 1, next.run) : nil
            return next.left == 1 ? next.run : nil
        }
        hook?()
        try note("pread")
        return try unsafe real.read(file, into: buffer, at: offset)
    }
    @unsafe
    func write(
        _ file: Int32,
        _ buffer: UnsafeRawBufferPointer,
        at offset: UInt64
    ) throws(SystemCallError) {
        // What is as short is the notice that is left in the lock's file.
        let isFrame = buffer.count >= 16
        if isFrame, let count = script.withLock({ $0.shortWrite }) {
            try unsafe real.write(file, UnsafeRawBufferPointer(rebasing: buffer.prefix(count)), at: offset)
        }
        if isFrame {
            let hook = script.withLock { script in
                defer { script.beforeWrite = nil }
                return script.beforeWrite
            }
            hook?()
        }
        try note(isFrame ? "pwrite" : "note")
        let fitting = script.withLock { $0.take(offset..<offset + UInt64(buffer.count)) }
        try unsafe real.write(file, UnsafeRawBufferPointer(rebasing: buffer.prefix(fitting)), at: offset)
        if fitting < buffer.count { throw SystemCallError(errno: ENOSPC, call: "pwrite") }
    }
    func truncate(_ file: Int32, to size: UInt64) throws(SystemCallError) {
        try note("ftruncate")
        script.withLock { $0.free(from: size) }
        try real.truncate(file, to: size)
    }
    func syncData(_ file: Int32) throws(SystemCallError) {
        script.withLock { $0.beforeSync }?()
        try note("fdatasync")
        try real.syncData(file)
    }
    func openFolder(_ path: String) throws(SystemCallError) -> Int32 {
        try note("open-folder")
        return try real.openFolder(path)
    }
    func syncFolder(_ folder: Int32) throws(SystemCallError) {
        try note("fsync-folder")
        try real.syncFolder(folder)
    }
    func makeFolders(_ path: String) throws(SystemCallError) {
        try note("mkdir")
        try real.makeFolders(path)
    }
    func rename(_ old: String, to new: String) throws(SystemCallError) {
        try note("rename")
        try real.rename(old, to: new)
    }
    func link(_ old: String, to new: String) throws(SystemCallError) {
        script.withLock { $0.beforeLink }?()
        try note("link")
        try real.link(old, to: new)
    }
    func unlink(_ path: String) throws(SystemCallError) { try real.unlink(path) }
    func tryLock(_ file: Int32) throws(SystemCallError) -> Bool {
        let hook = script.withLock { script in
            defer { script.beforeLock = nil }
            return script.beforeLock
        }
        hook?()
        try note("flock")
        let isLocked = try real.tryLock(file)
        if isLocked { script.withLock { $0.locks += 1 } }
        return isLocked
    }
    func unlock(_ file: Int32) {
        real.unlock(file)
        script.withLock { $0.locks -= 1 }
    }

    /// Waits until nobody has the lock: who is answered is no more waited for.
    func unlocked() async throws { try await BoundedWait.until { script.withLock { $0.locks } == 0 } }

    var canWatch: Bool { real.canWatch }
    func share(_ file: Int32, at path: String, words: Int) -> SharedWords? {
        real.share(file, at: path, words: words)
    }
    func watch(
        _ path: String,
        notice: @escaping @Sendable (SystemCallError?) -> Void
    ) throws(SystemCallError) -> any FileWatch {
        script.withLock { $0.beforeWatch }?()
        try note("watch")
        return CountedWatch(self, try real.watch(path, notice: notice))
    }

    /// Notes its end.
    private struct CountedWatch: FileWatch {
        let files: FaultyFiles
        let real: any FileWatch

        init(_ files: FaultyFiles, _ real: any FileWatch) { (self.files, self.real) = (files, real) }

        func end() {
            files.script.withLock { $0.counts["unwatch", default: 0] += 1 }
            real.end()
        }
    }
}

extension FaultyFiles.Script {
    /// Takes up space on the disk; returns for how many of the bytes there is some.
    mutating func take(_ range: Range<UInt64>) -> Int {
        guard var known = blocks else { return range.count }
        defer { blocks = known }
        for block in range.lowerBound / 4096...(range.upperBound - 1) / 4096
        where !known.taken.contains(block) {
            if known.taken.count == known.most {
                return Int(max(block * 4096, range.lowerBound) - range.lowerBound)
            }
            known.taken.insert(block)
        }
        return range.count
    }

    /// Gives back what a file takes up behind this size.
    mutating func free(from size: UInt64) {
        guard let known = blocks else { return }
        blocks = (known.taken.filter { $0 * 4096 < size }, known.most)
    }
}
