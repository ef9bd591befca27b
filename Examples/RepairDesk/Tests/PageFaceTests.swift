import TerminalScreens
import Testing

@testable import repair_desk

@Suite("Pages of RepairDesk")
struct PageFaceTests {
    @Test("P-40: a page that is turned to its end shows its end in a wider window, too")
    func widerWindow() async {
        // A page that looks up lines that it does not have ends the process.
        await #expect(processExitsWith: .success) {
            let text = (1...300).map { "\($0)" }.joined(separator: " ")
            var face = PageFace(
                PageContent(title: "Numbers", text: [text]),
                size: TerminalSize(columns: 30, rows: 8)
            )
            for _ in 1...10 { face.handle(.key(.pageDown)) { _ in } }
            face.size = TerminalSize(columns: 80, rows: 8)
            var screen = DrawnScreen(columns: 80, rows: 8)
            let picture = face.painting(shake: 0).canvas
            screen.write(String(decoding: picture.update(from: nil, colours: false), as: UTF8.self))
            #expect(screen.text.contains("299 300"))
        }
    }
}
