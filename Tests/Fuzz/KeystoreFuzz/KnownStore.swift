import Foundation
@testable import GcryptKeystore
import Gcrypt
import PortcullisCore

/// A store whose file, key and items are known: the one that the format's tests keep.
enum KnownStore {
    private static let path = DiskImage.folder + "/store"
    private static let keyFile = DiskImage.folder + "/key"

    private static func bytes(_ suffix: String) -> [UInt8] {
        guard let folder = ProcessInfo.processInfo.environment["FUZZ_FIXTURES"],
            let data = FileManager.default.contents(atPath: "\(folder)/version-1.\(suffix)")
        else { fatalError("FUZZ_FIXTURES has to name the folder of the format's fixtures") }
        return [UInt8](data)
    }

    static let file = bytes("keystore")
    private static let key = bytes("key")

    private static var configuration: KeystoreConfiguration {
        KeystoreConfiguration(
            path: path,
            credential: .keyFile(keyFile),
            createsIfMissing: false,
            lockTimeout: .zero
        )
    }

    private static func opener(_ file: [UInt8]) -> StoreOpener {
        var image = DiskImage()
        image[path] = file
        image[keyFile] = key
        return StoreOpener(configuration: configuration, files: SimulatedDisk(image))
    }

    private static let opened: StoreOpener.Opened = {
        do { return try opener(file).open() } catch { fatalError("the known store does not open: \(error)") }
    }()

    /// The versions of all items of the known store.
    private static let versions = Dictionary(
        uniqueKeysWithValues: opened.view.index.all.map { ($0.name, $0.entry.version) }
    )

    /// Opens and surveys a file; whatever it is, it must not give anything that the known store did not hold.
    static func open(_ bytes: [UInt8]) throws(SecretStoreError) {
        let opener = opener(bytes)
        var failure: SecretStoreError?
        do throws(SecretStoreError) {
            let opened = try opener.open()
            for (name, entry) in opened.view.index.all { demandKnown(name, entry.version) }
        } catch {
            failure = error
        }
        var survey = try Survey(opener)
        while let item = try survey.nextItem() { demandKnown(item.name, item.version) }
        let report = survey.report
        precondition(failure == nil || !report.damage.isEmpty, "does not open, though nothing is damaged")
        if let failure { throw failure }
    }

    /// An older version than the last may come back where a file was cut; a newer one cannot be.
    private static func demandKnown(_ name: SecretName, _ version: UInt64) {
        guard name.name != "removed", name.name != "going" else { return }
        precondition(versions[name].map { $0 >= version } == true, "\(name) was never written, or not so")
    }

    /// The known file with other bytes behind the version of both its header pages, and right sums over them.
    static func file(withHeader bytes: [UInt8]) -> [UInt8] {
        var page = Array(file[..<Layout.pageSize])
        for (index, byte) in bytes.prefix(Layout.macOffset - 12).enumerated() { page[12 + index] = byte }
        do {
            page.put(
                try Digest.authenticate(page[..<Layout.macOffset], under: opened.ring.headerKey),
                at: Layout.macOffset
            )
            page.put(try Digest.sha256(page[..<Layout.digestOffset]), at: Layout.digestOffset)
        } catch {
            fatalError("\(error)")
        }
        return page + page + file[8192...]
    }

    static let anchor = Anchor(
        port: FileAnchor(path: DiskImage.folder + "/anchor", files: SimulatedDisk()),
        ring: opened.ring
    )

    /// An anchor of one record that verifies.
    static func anchor(saying bytes: [UInt8]) -> [UInt8] {
        var record: [UInt8] = [0x89, 0x50, 0x4B, 0x41, 0x4E, 0x0D, 0x0A, 0x1A]
        record += bytes.prefix(88)
        record += [UInt8](repeating: 0, count: 96 - record.count)
        do { record += try Digest.authenticate(record, under: opened.ring.anchorKey) } catch {
            fatalError("\(error)")
        }
        return record + bytes.dropFirst(88)
    }
}
