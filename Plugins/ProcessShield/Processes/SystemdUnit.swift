internal import LinuxSystem

/// The names of systemd's units for apps: `app-LAUNCHER-ID-RANDOM.scope` and
/// `app-LAUNCHER-ID@RANDOM.service`. Both forms also occur without `LAUNCHER-`. The snap daemon moves an app
/// of a snap into the unit `snap.SNAP.APP-UUID.scope`; earlier versions wrote `.UUID`.
enum SystemdUnit {
    /// Whether a unit may be one of an app.
    static func mayBeApp(_ unit: String) -> Bool {
        if unit.hasPrefix("snap.") { return unit.hasSuffix(".scope") }
        return unit.hasPrefix("app-") && (unit.hasSuffix(".scope") || unit.hasSuffix(".service"))
    }

    /// Whether a unit belongs to the app with this id. The id of a snap's app is `SNAP_APP`.
    static func isApp(_ unit: String, of id: String) -> Bool {
        if unit.hasPrefix("snap.") { return isSnap(unit, of: id) }
        guard unit.hasPrefix("app-") else { return false }
        var name = unit.dropFirst(4)
        if name.hasSuffix(".scope") {
            // The part after the last dash is random and is removed. The dashes of the id itself are escaped,
            // so the last dash is not part of the id.
            guard let dash = name.lastIndex(of: "-") else { return false }
            name = name[..<dash]
        } else if name.hasSuffix(".service") {
            name.removeLast(8)
            if let at = name.firstIndex(of: "@") { name = name[..<at] }
        } else {
            return false
        }
        let last = name.lastIndex(of: "-").map { name[name.index(after: $0)...] } ?? name
        return last == escaped(id)
    }

    /// The id of the app that a link of the snap daemon starts, such as `/snap/bin/chess` or
    /// `/snap/bin/games.chess`; `nil` for another path.
    static func id(ofSnapAt path: String) -> String? {
        let parts = path.pathParts
        guard parts.suffix(3).dropLast() == ["snap", "bin"], let name = parts.last else { return nil }
        guard let dot = name.firstIndex(of: ".") else { return "\(name)_\(name)" }
        return "\(name[..<dot])_\(name[name.index(after: dot)...])"
    }

    private static func isSnap(_ unit: String, of id: String) -> Bool {
        guard let line = id.firstIndex(of: "_"), unit.hasSuffix(".scope") else { return false }
        let app = "snap.\(id[..<line]).\(id[id.index(after: line)...])"
        guard unit.hasPrefix(app) else { return false }
        let rest = unit.dropFirst(app.count).dropLast(6)
        // The name of another app of the snap may begin with the name of this app. So the rest of the unit's
        // name must be a dash or a point, and a UUID of 36 characters.
        return rest.count == 37 && (rest.first == "-" || rest.first == ".")
            && rest.dropFirst().allSatisfy { $0.isHexDigit || $0 == "-" }
    }

    static func escaped(_ id: String) -> String {
        id.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            if isPlain || ":_.".unicodeScalars.contains(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }
}
