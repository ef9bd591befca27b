import Glibc
import Testing

@testable import TerminalHost

/// In a process of its own, because the variables belong to the process.
@Suite("The variables of a guarded program", .timeLimit(.minutes(5)))
struct ProcessVariablesTests {
    @Test("guard: a program gets its variables to the byte, and names are compared by their bytes")
    func bytes() async {
        await #expect(processExitsWith: .success) {
            let value: [CChar] = [0x63, 0x61, 0x66, CChar(bitPattern: 0xE9), 0]
            unsafe setenv("FOO", value, 1)
            unsafe putenv(strdup([0x42, CChar(bitPattern: 0xE9), 0x3D, 0x78, 0]))
            unsafe setenv("CAF\u{C9}", "composed", 1)
            unsafe setenv("OURS", "old", 1)
            unsafe setenv("OURS_TOO", "kept", 1)
            let all = ProcessVariables.current(with: ["OURS": "new=1", "CAFE\u{301}": "apart"])
            func bytes(_ text: String) -> [CChar] { Array(text.utf8CString) }
            #expect(all.contains(Array("FOO=".utf8CString.dropLast()) + value))
            #expect(all.contains([0x42, CChar(bitPattern: 0xE9), 0x3D, 0x78, 0]))
            #expect(all.contains(bytes("CAF\u{C9}=composed")) && all.contains(bytes("CAFE\u{301}=apart")))
            #expect(all.filter { $0.starts(with: "OURS=".utf8CString.dropLast()) } == [bytes("OURS=new=1")])
            #expect(all.contains(bytes("OURS_TOO=kept")))
        }
    }
}
