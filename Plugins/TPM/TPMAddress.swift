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

    /// Whether a record may hold the address, and whether the address is used if it is in a record. These are
    /// the device files of this machine's TPMs, and the resource manager `tabrmd` on the system's bus.
    ///
    /// A record can be altered, and the chip is asked before the alteration is noticed. If the record led to
    /// a chip of the attacker, the attacker could guess the passcode from what that chip is sent.
    var isRecordable: Bool {
        guard let device else { return text == "tabrmd" }
        let stem = device.prefix { !("0"..."9").contains($0) }
        let number = device.dropFirst(stem.count)
        return ["/dev/tpm", "/dev/tpmrm"].contains(stem) && !number.isEmpty
            && number.allSatisfy { ("0"..."9").contains($0) }
    }
}
