internal import Gcrypt
internal import PortcullisCore

/// The two header pages of a file, with the bytes that were read.
struct HeaderPages {
    private let path: String
    private let raw: [[UInt8]]
    private var decoded: [Result<HeaderPage, HeaderPage.Fault>]

    init(_ files: any KeystoreFiles, _ descriptor: OpenDescriptor, _ path: String) throws(SecretStoreError) {
        let both = try LogFile.bytes(files, descriptor, path, at: 0, 2 * Layout.pageSize)
        raw = [Array(both.prefix(Layout.pageSize)), Array(both.dropFirst(Layout.pageSize))]
        do {
            decoded = [try HeaderPage.decode(raw[0]), try HeaderPage.decode(raw[1])]
        } catch {
            throw .gcrypt(error, path)
        }
        self.path = path
    }

    /// The offsets of the pages that cannot be read: damaged ones, and those of a newer format.
    var damagedOffsets: [UInt64] {
        decoded.indices.filter { if case .failure = decoded[$0] { true } else { false } }
            .map { UInt64($0 * Layout.pageSize) }
    }

    /// Marks pages with a wrong MAC as damaged. A page's digest does not reveal a forgery, because computing
    /// a digest needs no key.
    mutating func refuseForged(_ headerKey: SecretBytes) throws(SecretStoreError) {
        for index in 0...1 {
            guard case .success = decoded[index] else { continue }
            let expected: [UInt8]
            do {
                expected = try Digest.authenticate(raw[index][..<Layout.macOffset], under: headerKey)
            } catch {
                throw .gcrypt(error, path)
            }
            if raw[index].slice(Layout.macOffset, 32) != expected { decoded[index] = .failure(.damaged) }
        }
    }

    /// The bytes of the undamaged page with this MAC, and the index of the other page. The caller writes
    /// these bytes over the other page. The result is `nil` if both pages are equal, if no undamaged page has
    /// this MAC, or if the other page is of a newer format.
    func replacement(_ mac: [UInt8]) -> (page: [UInt8], index: Int)? {
        guard raw[0] != raw[1] else { return nil }
        for index in 0...1 {
            guard case .success = decoded[index], raw[index].slice(Layout.macOffset, 32) == mac,
                decoded[1 - index] != .failure(.newer)
            else { continue }
            return (raw[index], 1 - index)
        }
        return nil
    }

    /// The index of the page that a writer may overwrite: the first page that cannot be read, or that has
    /// another MAC than `mac`, the MAC of the page in force. If there is no such page, both pages are equal,
    /// and the result is 0.
    func indexNotInForce(_ mac: [UInt8]) -> Int {
        for index in 0...1 {
            guard case .success = decoded[index], raw[index].slice(Layout.macOffset, 32) == mac else {
                return index
            }
        }
        return 0
    }

    /// Returns the page in force, its MAC and the store key that `unlock` has read from the page. The page in
    /// force is the undamaged page with the highest generation whose MAC is right.
    func inForce(
        _ unlock: (HeaderPage) throws(SecretStoreError) -> SecretBytes
    ) throws(SecretStoreError) -> (HeaderPage, [UInt8], SecretBytes) {
        var candidates: [(HeaderPage, [UInt8])] = []
        for index in 0...1 {
            if case .success(let page) = decoded[index] { candidates.append((page, raw[index])) }
        }
        candidates.sort { $0.0.generation > $1.0.generation }
        if candidates.isEmpty {
            if decoded.contains(.failure(.newer)) {
                throw SecretStoreError(
                    code: .newerFormat,
                    message: "the store is of a newer format",
                    path: path
                )
            }
            throw .damaged("neither header page is whole", path)
        }
        let unverified = SecretStoreError.damaged("a header page does not verify", path)
        for (index, (page, bytes)) in candidates.enumerated() {
            do throws(SecretStoreError) {
                let key = try unlock(page)
                let mac = bytes.slice(Layout.macOffset, 32)
                let expected = try macOf(page, key, bytes)
                if SecretBytes(copying: mac).matches(SecretBytes(copying: expected)) {
                    return (page, mac, key)
                }
            } catch {
                // If the newer page refuses the credential, the older page is not tried. The older page may
                // still have the credential's slot, although that slot was removed.
                throw index == 0 ? error : unverified
            }
        }
        throw unverified
    }

    private func macOf(
        _ page: HeaderPage,
        _ storeKey: SecretBytes,
        _ bytes: [UInt8]
    ) throws(SecretStoreError) -> [UInt8] {
        do {
            return try Digest.authenticate(
                bytes[..<Layout.macOffset],
                under: try KeyRing.headerKey(storeKey, page.storeID)
            )
        } catch {
            throw .gcrypt(error, path)
        }
    }
}
