import Foundation
import LinuxSystem
import GcryptKeystore
import PortcullisCore
import Synchronization

/// A disk in memory that keeps apart what programs see and what would be left after a power failure.
///
/// Any call can be made to fail, from one place on all can, and everything that changes the disk is recorded, so that
/// ``DiskLog`` can tell each state a power failure may leave.
final class SimulatedDisk: KeystoreFiles {
    /// What happens to a call instead of its work.
    struct Fault: Sendable {
        enum Reach: Sendable {
            /// This call only.
            case once
            /// This and all later ones that would take up space; what frees some still works.
            case whatTakesSpace
            /// This and all later ones that would change the disk.
            case whatChanges
            /// This and all later ones: the process is dead.
            case everything
        }

        /// The number of the call, from 0.
        var call: Int
        var number: Int32
        var reach = Reach.once
        /// Whether half of a write is done before it fails.
        var isTorn = false
    }

    struct State {
        var image: DiskImage
        var log: DiskLog
        var open: [Int32: Int] = [:]
        var openFolders: [Int32: String] = [:]
        var locks: [Int: Int32] = [:]
        var nextDescriptor: Int32 = 100
        var nextFile: Int
        var calls: [String] = []
        var fault: Fault?
    }

    let state: Mutex<State>
    let user: UInt32 = 1000
    /// Its files say that they never change: how they are is looked at each time.
    let now: UInt64 = 0
    let canWatch = false

    init(_ image: DiskImage = DiskImage(), log: DiskLog? = nil) {
        state = Mutex(
            State(
                image: image,
                log: log ?? DiskLog(start: image),
                nextFile: (image.files.keys.max() ?? 0) + 1
            )
        )
    }

    /// What programs see at present.
    var image: DiskImage { state.withLock { $0.image } }
    /// What happened so far.
    var log: DiskLog { state.withLock { $0.log } }

    /// Plans a fault, and counts the calls anew.
    func plan(_ fault: Fault?) {
        state.withLock { state in
            state.fault = fault
            state.calls = []
        }
    }

    /// The calls since the last plan.
    var calls: [String] { state.withLock { $0.calls } }

    /// Puts other bytes into a file, as somebody with an editor would.
    func replace(_ path: String, with bytes: [UInt8]) { state.withLock { $0.image[path] = bytes } }

    /// Takes a file away.
    func remove(_ path: String) { state.withLock { $0.image[path] = nil } }

    /// Leaves a note in the log.
    func mark(_ number: Int) { state.withLock { $0.record(.mark(number)) } }

    /// Ends the process that used the disk, and with it its descriptors and locks.
    func kill() {
        state.withLock { state in
            state.open = [:]
            state.openFolders = [:]
            state.locks = [:]
        }
    }

    private enum Kind { case looks, frees, takesSpace }

    /// Counts a call; throws its fault.
    private static func enter(_ call: String, _ kind: Kind, _ state: inout State) throws(SystemCallError) {
        let index = state.calls.count
        state.calls.append(call)
        guard let fault = state.fault, index >= fault.call else { return }
        let isHit =
            switch fault.reach {
            case .once: index == fault.call
            case .whatTakesSpace: kind == .takesSpace
            case .whatChanges: kind != .looks
            case .everything: true
            }
        if isHit { throw SystemCallError(errno: fault.number, call: call) }
    }

    private static func file(_ descriptor: Int32, _ state: State) throws(SystemCallError) -> Int {
        guard let file = state.open[descriptor] else { throw SystemCallError(errno: EBADF, call: "file") }
        return file
    }

    func open(_ path: String, _ mode: OpenMode) throws(SystemCallError) -> Int32 {
        try state.withLock { (state) throws(SystemCallError) in
            let known = state.image.names[path]
            let makes = known == nil && (mode == .createIfMissing || mode == .createNew)
            // A read-only file system refuses any opening for writing.
            try Self.enter("open", makes ? .takesSpace : mode == .read ? .looks : .frees, &state)
            if mode == .createNew, known != nil { throw SystemCallError(errno: EEXIST, call: "open") }
            guard known != nil || makes else { throw SystemCallError(errno: ENOENT, call: "open") }
            let file = known ?? state.nextFile
            if makes {
                state.nextFile += 1
                state.image.files[file] = []
                state.record(.name(path, file))
            }
            state.nextDescriptor += 1
            state.open[state.nextDescriptor] = file
            return state.nextDescriptor
        }
    }

    func close(_ file: Int32) {
        state.withLock { state in
            state.openFolders[file] = nil
            if let inode = state.open.removeValue(forKey: file), state.locks[inode] == file {
                state.locks[inode] = nil
            }
        }
    }

    func status(of file: Int32) throws(SystemCallError) -> FileStatus {
        var status = try datedStatus(of: file)
        status.changed = nil
        return status
    }

    func datedStatus(of file: Int32) throws(SystemCallError) -> FileStatus {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("fstat", .looks, &state)
            return state.image.status(try Self.file(file, state), user)
        }
    }

    func status(at path: String) throws(SystemCallError) -> FileStatus? {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("lstat", .looks, &state)
            let path = path.hasSuffix("/.") ? String(path.dropLast(2)) : path
            return state.image.names[path].map { state.image.status($0, user) }
        }
    }

    @unsafe
    func read(
        _ file: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: UInt64
    ) throws(SystemCallError) -> Int {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("pread", .looks, &state)
            let bytes = state.image.files[try Self.file(file, state)] ?? []
            let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
            unsafe buffer.copyBytes(from: part)
            return part.count
        }
    }

    @unsafe
    func write(_ file: Int32, _ buffer: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            let inode = try Self.file(file, state)
            let bytes = unsafe [UInt8](buffer)
            let torn = state.fault?.isTorn == true
            do throws(SystemCallError) { try Self.enter("pwrite", .takesSpace, &state) } catch {
                if torn, bytes.count > 1 {
                    state.record(.write(inode, Int(offset), Array(bytes.prefix(bytes.count / 2))))
                }
                throw error
            }
            state.record(.write(inode, Int(offset), bytes))
        }
    }

    func truncate(_ file: Int32, to size: UInt64) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("ftruncate", .frees, &state)
            state.record(.truncate(try Self.file(file, state), Int(size)))
        }
    }

    func syncData(_ file: Int32) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            let inode = try Self.file(file, state)
            do throws(SystemCallError) { try Self.enter("fdatasync", .takesSpace, &state) } catch {
                // Whoever is killed there has not synced; the system will.
                if state.fault?.reach != .everything { state.record(.failedSync(inode)) }
                throw error
            }
            state.record(.sync(inode))
        }
    }

    func openFolder(_ path: String) throws(SystemCallError) -> Int32 {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("open", .looks, &state)
            state.nextDescriptor += 1
            state.openFolders[state.nextDescriptor] = path
            return state.nextDescriptor
        }
    }

    func syncFolder(_ folder: Int32) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("fsync", .takesSpace, &state)
            guard let path = state.openFolders[folder] else {
                throw SystemCallError(errno: EBADF, call: "fsync")
            }
            state.record(.syncFolder(path))
        }
    }

    func makeFolders(_ path: String) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            if state.image.names[path] != nil { return }
            try Self.enter("mkdir", .takesSpace, &state)
            state.image.files[state.nextFile] = []
            state.image.folders.insert(state.nextFile)
            state.record(.name(path, state.nextFile))
            state.record(.syncFolder(DiskImage.folder(of: path)))
            state.nextFile += 1
        }
    }

    func rename(_ old: String, to new: String) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("rename", .takesSpace, &state)
            guard let file = state.image.names[old] else {
                throw SystemCallError(errno: ENOENT, call: "rename")
            }
            state.record(.rename(old, new, file))
        }
    }

    func link(_ old: String, to new: String) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("link", .takesSpace, &state)
            guard let file = state.image.names[old] else {
                throw SystemCallError(errno: ENOENT, call: "link")
            }
            guard state.image.names[new] == nil else { throw SystemCallError(errno: EEXIST, call: "link") }
            state.record(.name(new, file))
        }
    }

    func unlink(_ path: String) throws(SystemCallError) {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("unlink", .frees, &state)
            guard state.image.names[path] != nil else { throw SystemCallError(errno: ENOENT, call: "unlink") }
            state.record(.name(path, nil))
        }
    }

    func tryLock(_ file: Int32) throws(SystemCallError) -> Bool {
        try state.withLock { (state) throws(SystemCallError) in
            try Self.enter("flock", .looks, &state)
            let inode = try Self.file(file, state)
            if let holder = state.locks[inode], holder != file { return false }
            state.locks[inode] = file
            return true
        }
    }

    func unlock(_ file: Int32) {
        state.withLock { state in
            if let inode = state.open[file], state.locks[inode] == file { state.locks[inode] = nil }
        }
    }

    func share(_ file: Int32, at path: String, words: Int) -> SharedWords? { nil }

    func watch(
        _ path: String,
        notice: @escaping @Sendable (SystemCallError?) -> Void
    ) throws(SystemCallError) -> any FileWatch {
        throw SystemCallError(errno: ENOSYS, call: "watch")
    }
}

extension SimulatedDisk.State {
    /// Does a change, and notes it.
    mutating func record(_ change: DiskChange) {
        image.apply(change)
        log.changes.append(change)
    }
}
