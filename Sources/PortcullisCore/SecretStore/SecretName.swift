/// A group of items in a ``SecretStore``, such as those of one feature or one app.
///
/// The text is 1 to 128 bytes of printable ASCII without spaces (U+0021 to U+007E). `/`, `.` and `..` are
/// ordinary text. Upper and lower case differ. Namespaces that start with `portcullis.` are the library's own.
public struct SecretNamespace: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The text of the namespace.
    public let rawValue: String

    /// Makes a namespace from a text.
    ///
    /// - Throws: ``SecretStoreError`` with ``SecretStoreErrorCode/invalidName`` when the text is empty, is
    ///   longer than 128 bytes or holds anything but printable ASCII without spaces.
    public init(_ text: String) throws(SecretStoreError) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SecretStoreError(
                code: .invalidName,
                message: "a namespace is 1 to 128 printable ASCII characters without spaces"
            )
        }
        self.rawValue = text
    }

    /// A namespace of the library: `portcullis.` and a word that the library chooses.
    public static func library(_ word: StaticString) -> SecretNamespace {
        SecretNamespace(trusted: "portcullis.\(word)")
    }

    private init(trusted text: String) { self.rawValue = text }

    /// Whether the namespace belongs to the library.
    public var isLibraryOwned: Bool { rawValue.hasPrefix("portcullis.") }

    /// The text of the namespace.
    public var description: String { rawValue }

    /// Whether the left text sorts before the right text, byte by byte.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

/// The full name of an item in a ``SecretStore``: a namespace and a name inside it.
///
/// Names are compared byte by byte. Two Unicode forms of the same text are therefore different names.
public struct SecretName: Sendable, Comparable, CustomStringConvertible {
    /// The item's namespace.
    public let namespace: SecretNamespace

    /// The name inside the namespace: 1 to 512 bytes of UTF-8 without control characters (U+0000 to U+001F and U+007F
    /// to U+009F). All other characters are ordinary text, such as `/`, `..`, blanks and invisible characters.
    public let name: String

    /// Makes the full name of an item.
    ///
    /// - Throws: ``SecretStoreError`` with ``SecretStoreErrorCode/invalidName`` when the name is empty, is
    ///   longer than 512 bytes of UTF-8 or holds control characters.
    public init(_ name: String, in namespace: SecretNamespace) throws(SecretStoreError) {
        guard (1...512).contains(name.utf8.count), !Self.hasControlCharacters(name.utf8) else {
            throw SecretStoreError(
                code: .invalidName,
                message: "a name is 1 to 512 bytes of UTF-8 without control characters"
            )
        }
        self.namespace = namespace
        self.name = name
    }

    /// Whether the text holds characters of Unicode's category Cc: U+0000 to U+001F and U+007F to U+009F.
    ///
    /// In UTF-8, U+0080 to U+009F are the byte 0xC2 followed by 0x80 to 0x9F. The check works on bytes,
    /// because a look-up of each character's category takes ten times as long. A store with many items checks
    /// all names when it is opened.
    private static func hasControlCharacters(_ text: String.UTF8View) -> Bool {
        var previous: UInt8 = 0
        for byte in text {
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
            previous = byte
        }
        return false
    }

    /// The namespace and the name with a slash between them.
    public var description: String { "\(namespace.rawValue)/\(name)" }

    /// Whether the left name sorts before the right name: first by namespace, then by the bytes of the names.
    public static func < (left: Self, right: Self) -> Bool {
        left.namespace == right.namespace
            ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
            : left.namespace < right.namespace
    }
}

extension SecretName: Hashable {
    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.namespace == right.namespace && left.name.utf8.elementsEqual(right.name.utf8)
    }

    /// Hashes namespace and name. Names of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(namespace)
        hasher.combine(bytesOf: name)
    }
}

extension SecretName {
    /// Makes the name of an item that belongs to a user. The name is the text of the user's id, which is
    /// always a valid name.
    public init(_ user: UserID, in namespace: SecretNamespace) {
        self.namespace = namespace
        self.name = user.rawValue
    }

    /// The name of one of the library's items: a word that the library chooses, 1 to 512 bytes of printable ASCII.
    public static func library(_ word: StaticString, in namespace: SecretNamespace) -> SecretName {
        SecretName(namespace: namespace, name: "\(word)")
    }

    private init(namespace: SecretNamespace, name: String) {
        self.namespace = namespace
        self.name = name
    }
}
