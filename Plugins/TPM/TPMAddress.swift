/// The address of a TPM: the name of a TCTI of tpm2-tss and its configuration, as in
/// `swtpm:host=127.0.0.1,port=2321`.
public struct TPMAddress: Hashable, Sendable, CustomStringConvertible {
    /// `name` or `name:configuration`.
    public let text: String

    /// The chip of this machine, through the kernel's resource manager.
    public static let system = TPMAddress(known: "device:/dev/tpmrm0")

    /// Makes the address with this text. The text `auto` gives the address ``system``.
    ///
    /// - Returns: `nil` if the text cannot be an address. The name consists of 1 to 32 lower-case letters,
    ///   digits and hyphens. The text has at most 1,024 characters, all visible ASCII or blanks.
    public init?(_ text: String) {
        guard text != "auto" else {
            self = .system
            return
        }
        let name = text.prefix { $0 != ":" }
        guard (1...32).contains(name.utf8.count), text.utf8.count <= 1024,
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// The address as text.
    public var description: String { text }

    var name: Substring { text.prefix { $0 != ":" } }

    /// The path of the device file, if the address is of the TCTI `device`.
    var device: String? {
        guard name == "device" else { return nil }
        let path = text.dropFirst(name.count + 1)
        return path.isEmpty ? "/dev/tpm0" : String(path)
    }

    /// Whether a record may hold the address. The TCTIs in the list connect to a chip and do nothing else.
    /// `cmd` runs a program and `pcap` writes a file, so they are used only if a person names them.
    var isRecordable: Bool { ["device", "swtpm", "mssim", "tabrmd"].contains(name) }
}
