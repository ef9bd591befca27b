internal import PortcullisCore

extension SecretStoreProbe {
    /// Namespaces with a special meaning for a file system, a shell, a pattern or an SQL statement.
    private static let hostileSpaces = [
        "contract", "Contract", "contract/", "contract/sub", "contract.sub", "/", "/contract", ".", "..",
        "../contract", "contract/../other", "../../..", "*", "%", "contract*", "_ontract", "'", "\"", "\\",
        "~",
        "$HOME", "%2e%2e", "-rf", "contract;",
    ]
    private static let hostileNames = [
        "item", "..", ".", "/", "../item", "sub/item", "/item", "item/", "item/../item", "./item",
        "../../../item",
        "*", "%", "_tem", "'", "\"", "\\", "..\\item", "~", "$(item)", "%2F", " ", " item", "item ", "-",
        ".lock",
        "item.tmp", "item\u{202E}",
    ]

    /// Returns all hostile names in the first namespace, and the first seven of these names in every other
    /// namespace.
    private func hostileItems() throws -> [SecretName] {
        let spaces = try Self.hostileSpaces.map { try SecretNamespace($0) }
        return try spaces.enumerated().flatMap { index, space in
            try (index == 0 ? Self.hostileNames[...] : Self.hostileNames.prefix(7)).map {
                try name($0, in: space)
            }
        }
    }

    func checkLongestNames() async throws {
        let spaces = try ["a", "b"].map { try SecretNamespace(String(repeating: "n", count: 127) + $0) }
        // In UTF-8 the characters have one, two and four bytes.
        let texts = [
            String(repeating: "x", count: 511) + "a", String(repeating: "x", count: 511) + "b",
            String(repeating: "\u{E9}", count: 256), String(repeating: "\u{1F511}", count: 128),
        ]
        let items = try spaces.flatMap { space in try texts.map { try name($0, in: space) } }
        for (index, item) in items.enumerated() { try await put([UInt8(index)], item) }
        for opening in [store, try await openAgain()].compactMap({ $0 }) {
            for (index, item) in items.enumerated() {
                try await expect([UInt8(index)], at: item, on: opening)
            }
            for space in spaces { try await expectNames(texts, in: space, on: opening) }
        }
        try requireEqual(try await store.remove(items[0], if: .none), .removed, "removing a long name")
        try await expect(nil, at: items[0])
        try await expect([1], at: items[1])
        try await expectNames(texts, in: spaces[1])
    }

    func checkNamesAreText() async throws {
        let items = try hostileItems()
        for (index, item) in items.enumerated() { try await put(Self.bytes(of: index), item, if: .absent) }
        for opening in [store, try await openAgain()].compactMap({ $0 }) {
            for (index, item) in items.enumerated() {
                try await expect(Self.bytes(of: index), at: item, on: opening)
            }
            for (space, names) in Dictionary(grouping: items, by: \.namespace).sorted(by: { $0.key < $1.key })
            {
                try await expectNames(names.sorted().map(\.name), in: space, on: opening)
            }
        }
        for item in items.enumerated() where item.offset % 2 == 0 {
            try requireEqual(
                try await store.remove(item.element, if: .none),
                .removed,
                "removing \(item.element)"
            )
        }
        for (index, item) in items.enumerated() {
            try await expect(index % 2 == 0 ? nil : Self.bytes(of: index), at: item)
        }
    }

    func checkPlacesApart() async throws {
        let other = try await subject.makePlace()
        // The place is kept alive. Its functions may hold an object that removes the items when the object is
        // deallocated.
        defer { withExtendedLifetime(other) {} }
        let elsewhere = try await other.open()
        let items = try hostileItems()
        for space in Set(items.map(\.namespace)).sorted() {
            let names = try await elsewhere.names(in: space)
            try require(names.isEmpty, "a new place is not empty: make another one with each call")
        }
        for (index, item) in items.enumerated() { try await put(Self.bytes(of: index), item) }
        for item in items { try await expect(nil, at: item, on: elsewhere) }
        for item in items { try await put([0xFF, 0xFF, 0xFF], item, on: elsewhere) }
        for (index, item) in items.enumerated() { try await expect(Self.bytes(of: index), at: item) }
    }
}
