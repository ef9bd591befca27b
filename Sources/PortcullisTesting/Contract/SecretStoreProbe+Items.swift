internal import PortcullisCore

extension SecretStoreProbe {
    func checkAbsentItem() async throws {
        try await expect(nil, at: name("never-written"))
        try await expectNames([])
    }

    func checkValueSizes() async throws {
        for size in [0, 1, 63, 64, 65, 4_096, 1_048_576] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            let item = try name("size-\(size)")
            let version = try await put(bytes, item)
            try await expect(bytes, at: item, version: version)
        }
    }

    func checkEveryByte() async throws {
        let all = (0...255).map { UInt8($0) }
        try await put(all, name("all"))
        try await expect(all, at: name("all"))
        for byte in all where byte % 51 == 0 {
            let bytes = [UInt8](repeating: byte, count: 64)
            try await put(bytes, name("same"))
            try await expect(bytes, at: name("same"))
        }
    }

    func checkPreconditionNone() async throws {
        let item = try name("item")
        let first = try await put([1], item)
        try await expect([1], at: item, version: first)
        let second = try await put([2], item)
        try await expect([2], at: item, version: second)
    }

    func checkPreconditionAbsent() async throws {
        let item = try name("item")
        let version = try await put([1], item, if: .absent)
        let again = try await outcome(ofWriting: [2], to: item, if: .absent)
        try requireEqual(again, .conflict(current: version), "creating what is there")
        try await expect([1], at: item, version: version)
        try await store.remove(item)
        let second = try await put([3], item, if: .absent)
        try await expect([3], at: item, version: second)
    }

    func checkPreconditionVersion() async throws {
        let item = try name("item")
        let first = try await put([1], item)
        let second = try await put([2], item, if: .version(first))
        let stale = try await outcome(ofWriting: [3], to: item, if: .version(first))
        try requireEqual(stale, .conflict(current: second), "writing over a stale version")
        try await expect([2], at: item, version: second)
        let nothing = try await outcome(ofWriting: [4], to: name("nothing"), if: .version(second))
        try requireEqual(nothing, .conflict(current: nil), "writing over a version of nothing")
        try await expect(nil, at: name("nothing"))
    }

    func checkConflictChangesNothing() async throws {
        let item = try name("item")
        let old = try await put([1], item)
        let version = try await put([2], item, as: .afterFirstUnlockThisDeviceOnly)
        for precondition in [WritePrecondition.absent, .version(old)] {
            _ = try await outcome(ofWriting: [9, 9], to: item, if: precondition)
            try await expect(
                [2],
                at: item,
                version: version,
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
        }
        try await expectNames(["item"])
    }

    func checkVersionsNeverReturn() async throws {
        let item = try name("item")
        var seen: [SecretVersion] = []
        for round in 0..<4 {
            for _ in 0..<3 {
                let version = try await put([7], item)
                try require(!seen.contains(version), "version \(version) came back in round \(round)")
                for stale in seen {
                    let ended = try await outcome(ofWriting: [8], to: item, if: .version(stale))
                    try requireEqual(ended, .conflict(current: version), "an old version")
                }
                seen.append(version)
            }
            try await store.remove(item)
        }
    }

    func checkRemoveOutcomes() async throws {
        let item = try name("item")
        let old = try await put([1], item)
        try requireEqual(try await store.remove(item, if: .none), .removed, "removing what is there")
        try await expect(nil, at: item)
        try await expectNames([])
        try requireEqual(try await store.remove(item, if: .none), .absent, "removing nothing")
        try requireEqual(try await store.remove(item, if: .absent), .absent, "removing nothing, if absent")
        try requireEqual(
            try await store.remove(item, if: .version(old)),
            .conflict(current: nil),
            "removing a version of nothing"
        )
        let new = try await put([2], item)
        for precondition in [WritePrecondition.absent, .version(old)] {
            let ended = try await store.remove(item, if: precondition)
            try requireEqual(ended, .conflict(current: new), "removing if \(precondition)")
            try await expect([2], at: item, version: new)
        }
        try requireEqual(try await store.remove(item, if: .version(new)), .removed, "removing the version")
        try await expect(nil, at: item)
    }

    func checkNamesSorted() async throws {
        for text in ["b", "a", "z", "B", "aa", "ü", "10", "9", "a b", "日本"] {
            try await put([1], name(text))
        }
        try await store.remove(name("z"))
        try await expectNames(["10", "9", "B", "a", "a b", "aa", "b", "ü", "日本"])
    }

    func checkNamespacesApart() async throws {
        let joined = [
            try SecretName("b/c", in: SecretNamespace("a")), try SecretName("c", in: SecretNamespace("a/b")),
            try SecretName("same", in: space), try SecretName("same", in: otherSpace),
        ]
        for (index, item) in joined.enumerated() { try await put([UInt8(index)], item) }
        for (index, item) in joined.enumerated() { try await expect([UInt8(index)], at: item) }
        try await expectNames(["same"])
        try await store.remove(joined[2])
        try await expect([3], at: joined[3])
        try await expectNames(["same"], in: otherSpace)
    }

    func checkNamesByteForByte() async throws {
        // The first two texts look the same. The first has an "e" with a combining accent, the second has the
        // single character "é". The third has an upper-case "C".
        let texts = ["cafe\u{301}", "caf\u{E9}", "Caf\u{E9}"]
        for (index, text) in texts.enumerated() { try await put([UInt8(index)], name(text)) }
        for (index, text) in texts.enumerated() { try await expect([UInt8(index)], at: name(text)) }
        try await expectNames(["Caf\u{E9}", "cafe\u{301}", "caf\u{E9}"])
        try await store.remove(name(texts[0]))
        try await expect([1], at: name(texts[1]))
    }

    func checkAccessibilityKept() async throws {
        let item = try name("item")
        for accessibility in Accessibility.allCases + Accessibility.allCases.reversed() {
            try await put([5], item, as: accessibility)
            try await expect([5], at: item, accessibility: accessibility)
        }
    }

    func checkOthersUntouched() async throws {
        var versions: [SecretVersion] = []
        for index in 0..<8 { versions.append(try await put([UInt8(index)], name("n\(index)"))) }
        for _ in 0..<3 { try await put([99], name("n3")) }
        try await store.remove(name("n5"))
        for index in [0, 1, 2, 4, 6, 7] {
            try await expect([UInt8(index)], at: name("n\(index)"), version: versions[index])
        }
        try await expectNames(["n0", "n1", "n2", "n3", "n4", "n6", "n7"])
    }

    func checkDescriptionsHideValues() async throws {
        let item = try name("item")
        let version = try await put(Array(Self.marker.utf8), item)
        var texts = ["\(store)", "\(try await outcome(ofWriting: [1], to: item, if: .absent))"]
        if let stored = try await store.read(item) {
            var dumped = ""
            dump(stored, to: &dumped)
            texts += ["\(stored)", dumped]
        }
        if let transactional {
            let secret = SecretBytes(copying: Self.marker.utf8)
            let change = SecretChange.write(secret, to: item, accessibility: .afterFirstUnlock, if: .none)
            do { _ = try await transactional.commit([change, change]) } catch {
                var dumped = ""
                dump(error, to: &dumped)
                texts += ["\(error)", dumped]
            }
        }
        for text in texts {
            try require(!Self.showsMarker(text), "a description shows the value of \(item)")
        }
        try await expect(Array(Self.marker.utf8), at: item, version: version)
        try await checkErrorsOfDamageHideValues()
    }

    /// Checks that no error about a damaged item shows the item's value.
    private func checkErrorsOfDamageHideValues() async throws {
        guard let damage = place.damage else { return }
        let item = try name("damaged")
        // The damage may alter a part of the value, so the value has the marker many times.
        let version = try await put(Array(String(repeating: Self.marker, count: 33).utf8), item)
        try await damage(item)
        func hides(_ work: () async throws -> Void) async throws {
            do { try await work() } catch let error as SecretStoreError {
                var dumped = ""
                dump(error, to: &dumped)
                try require(
                    !Self.showsMarker("\(error)\n\(dumped)"),
                    "an error shows the value of the damaged item"
                )
            }
        }
        try await hides {
            let opened = try await self.open()
            try await hides { _ = try await opened.read(item) }
            try await hides {
                _ = try await self.outcome(ofWriting: [1], to: item, if: .version(version), on: opened)
            }
        }
    }

    /// The value that no text may show. It has six bytes, so that base64 encodes each repetition alike.
    private static let marker = "vy7Kq2"
    private static let markerInBase64 = "dnk3S3Ey"

    /// Whether a text shows the marker: as it is, as a list of bytes, in hexadecimal digits, or in base64.
    private static func showsMarker(_ text: String) -> Bool {
        let list = marker.utf8.map { "\($0)" }.joined(separator: ", ")
        let digits = marker.utf8.map { String($0, radix: 16) }.joined()
        return text.contains(marker) || text.contains(list) || text.lowercased().contains(digits)
            || text.contains(markerInBase64)
    }

    func checkLockedClass() async throws {
        guard let lock = subject.lock, let unlock = subject.unlock else { return }
        let locked = try name("locked")
        let free = try name("free")
        try await put([1], locked, as: .whenUnlocked)
        try await put([2], free, as: .afterFirstUnlock)
        try await lock(store)
        do {
            _ = try await store.read(locked)
            throw Finding("a locked item was read")
        } catch let error as SecretStoreError {
            try requireEqual(error.code.portable, .classLocked, "code for reading a locked item")
        }
        let isRefused = try await isRefused(locked, with: free, as: .classLocked, on: store)
        try require(isRefused, "a locked item was read together with another, or taken for absent")
        try await expectNames(["free", "locked"])
        try await expect([2], at: free)
        try await put([3], free, as: .afterFirstUnlock)
        try await expect(nil, at: name("absent"))
        try await unlock(store)
        try await expect([1], at: locked, accessibility: .whenUnlocked)
    }
}
