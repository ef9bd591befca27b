#if os(Linux)
import Foundation
import PortcullisCore
import Testing

@Suite("The memory that secrets lie in (P-4)", .timeLimit(.minutes(5)))
struct SecretMemoryTests {
    @Test(
        "P-4: secrets of every size lie in memory that no dump shows and no child of a fork gets",
        .enabled(if: Mappings.areTold, "the kernel tells nothing of mappings"),
        arguments: [1, 48, 4096, 70_000]
    )
    func flags(_ count: Int) throws {
        let secret = SecretBytes(randomCount: count)
        let address = secret.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(Set(try Mappings.flags(of: address)).isSuperset(of: ["dd", "wf"]))
    }
}

/// What the kernel notes of this process's memory.
private enum Mappings {
    /// Whether it tells: it does of the mapping that this program's own data lies in.
    static let areTold =
        (try? flags(of: UInt(bitPattern: ObjectIdentifier(SecretBytes.self))))?.isEmpty == false

    /// The flags of the mapping that holds an address, such as `dd` for one that no dump shows.
    static func flags(of address: UInt) throws -> [Substring] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
        var holds = false
        for line in String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2 { holds = (ends[0]..<ends[1]).contains(address) }
            if holds, words[0] == "VmFlags:" { return Array(words.dropFirst()) }
        }
        return []
    }
}
#endif
