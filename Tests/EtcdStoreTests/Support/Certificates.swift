#if EtcdStore
import Foundation

/// An authority and certificates of it, in a folder, made with openssl.
struct Certificates {
    static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    let folder: URL

    var authority: String { path("ca.pem") }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data().write(to: folder.appending(path: "index.txt"))
        try Data("01\n".utf8).write(to: folder.appending(path: "serial"))
        let configuration = """
            [ca]
            default_ca = ca
            [ca]
            dir = \(folder.path)
            new_certs_dir = \(folder.path)
            database = \(folder.path)/index.txt
            serial = \(folder.path)/serial
            certificate = \(folder.path)/ca.pem
            private_key = \(folder.path)/ca.key
            default_md = sha256
            policy = any
            unique_subject = no
            x509_extensions = leaf
            [any]
            commonName = supplied
            [leaf]
            subjectAltName = IP:127.0.0.1
            extendedKeyUsage = serverAuth, clientAuth
            """
        try Data(configuration.utf8).write(to: folder.appending(path: "ca.cnf"))
        try run([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", path("ca.key"), "-out", authority,
            "-subj", "/CN=authority", "-days", "2",
        ])
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Makes NAME.pem and NAME.key; expired or good for two days.
    func make(_ name: String, isExpired: Bool = false) throws {
        try run([
            "req", "-newkey", "rsa:2048", "-nodes", "-keyout", path("\(name).key"), "-out",
            path("\(name).csr"), "-subj", "/CN=\(name)",
        ])
        let dates =
            isExpired ? ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"] : ["-days", "2"]
        try run(
            [
                "ca", "-batch", "-notext", "-config", path("ca.cnf"), "-in", path("\(name).csr"), "-out",
                path("\(name).pem"),
            ]
                + dates
        )
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
#endif
