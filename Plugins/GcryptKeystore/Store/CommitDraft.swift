internal import AdapterKit
internal import PortcullisCore

/// The result of one commit.
struct Decision: Sendable {
    var outcome: CommitOutcome
    /// The number of removed items that existed.
    var removed = 0
}

/// Decides commits one after the other. Each commit is checked against the state after the earlier commits.
struct CommitDraft {
    let ring: KeyRing
    /// The class epoch of the store. It distinguishes the present key of the `whenUnlocked` class from
    /// earlier keys.
    let epoch: UInt32
    let path: String
    let versionInStore: (SecretName) -> UInt64?
    private(set) var content = FrameContent()
    private var pending: [SecretName: SecretVersion?] = [:]
    private var lastVersion: UInt64

    init(
        lastVersion: UInt64,
        ring: KeyRing,
        epoch: UInt32,
        path: String,
        versionInStore: @escaping (SecretName) -> UInt64?
    ) {
        self.versionInStore = versionInStore
        self.ring = ring
        self.epoch = epoch
        self.path = path
        self.lastVersion = lastVersion
    }

    private func current(_ name: SecretName) -> SecretVersion? {
        if let known = pending[name] { return known }
        return versionInStore(name).map { SecretVersion($0) }
    }

    /// Checks the preconditions of a commit, and adds its changes to the content. Returns the new versions,
    /// the conflicts, or the error of a change. After a conflict or an error the content is unchanged.
    mutating func decide(_ changes: [SecretChange]) -> Result<Decision, SecretStoreError> {
        var conflicts: [SecretName: SecretVersion?] = [:]
        for change in changes {
            let current = current(change.name)
            if !change.precondition.holds(for: current) {
                conflicts.updateValue(current, forKey: change.name)
            }
        }
        if !conflicts.isEmpty { return .success(Decision(outcome: .conflict(conflicts))) }
        let (mark, version) = (content.mark, lastVersion)
        var replaced: [(SecretName, SecretVersion??)] = []
        do throws(SecretStoreError) {
            return .success(try add(changes, replaced: &replaced))
        } catch {
            // A batch makes all its changes or none. So after a failed change the earlier changes of the
            // batch are undone.
            content.cut(to: mark)
            lastVersion = version
            for (name, old) in replaced {
                if let old {
                    pending.updateValue(old, forKey: name)
                } else {
                    pending.removeValue(forKey: name)
                }
            }
            return .failure(error)
        }
    }

    private mutating func add(
        _ changes: [SecretChange],
        replaced: inout [(SecretName, SecretVersion??)]
    ) throws(SecretStoreError) -> Decision {
        var versions: [SecretVersion?] = []
        var removed = 0
        for change in changes {
            replaced.append((change.name, pending[change.name]))
            switch change {
            case .write(let value, let name, let accessibility, _):
                lastVersion = try lastVersion.next(path)
                guard let key = ring.sealing(accessibility.byte, epoch: epoch) else {
                    throw SecretStoreError(
                        code: .classLocked,
                        message: "the class of \(name) is locked",
                        path: path
                    )
                }
                let binding = ValueSeal.binding(ring.storeID, name, accessibility.byte, version: lastVersion)
                do {
                    let sealed = try ValueSeal.seal(value, under: key, binding: binding)
                    content.write(name, accessibility, version: lastVersion, sealed: sealed)
                } catch {
                    throw .gcrypt(error, path)
                }
                versions.append(SecretVersion(lastVersion))
                pending.updateValue(SecretVersion(lastVersion), forKey: name)
            case .remove(let name, _):
                if current(name) != nil {
                    removed += 1
                    lastVersion = try lastVersion.next(path)
                    content.remove(name, version: lastVersion)
                    pending.updateValue(nil, forKey: name)
                }
                versions.append(nil)
            }
        }
        return Decision(outcome: .committed(versions), removed: removed)
    }
}
