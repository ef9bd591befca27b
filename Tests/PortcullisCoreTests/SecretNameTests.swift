import PortcullisCore
import Testing

@Suite("Names of items", .timeLimit(.minutes(5)))
struct SecretNameTests {
    @Test("K-2: a name may hold all characters but those of Unicode's category of control characters")
    func characters() throws {
        let space = try SecretNamespace("tests")
        for scalar in (0...0xFFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let isName = (try? SecretName("a\(scalar)b", in: space)) != nil
            let isControl = scalar.properties.generalCategory == .control
            #expect(isName != isControl, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test("K-2: a name has 1 to 512 bytes")
    func length() throws {
        let space = try SecretNamespace("tests")
        #expect(throws: SecretStoreError.self) { try SecretName("", in: space) }
        #expect(throws: SecretStoreError.self) {
            try SecretName(String(repeating: "é", count: 257), in: space)
        }
        #expect(try SecretName(String(repeating: "é", count: 256), in: space).name.utf8.count == 512)
    }
}
