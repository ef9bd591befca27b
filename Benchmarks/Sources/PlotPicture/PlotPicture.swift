internal import Foundation
internal import Reporting

/// Draws what a program in another language has measured: JSON on standard input, SVG on standard output.
@main
struct PlotPicture {
    private struct Drawing: Decodable {
        struct Line: Decodable {
            var name: String
            /// What is varied, and nanoseconds.
            var points: [[Double]]
        }

        var title: String
        var over: String
        var lines: [Line]
    }

    static func main() throws {
        let text = try FileHandle.standardInput.readToEnd() ?? Data()
        let drawing = try JSONDecoder().decode(Drawing.self, from: text)
        let series = drawing.lines.map { line in
            Plot.Series(line.name, line.points.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil })
        }
        guard let svg = Plot(drawing.title, over: drawing.over, series).svg else { return }
        print(svg)
    }
}
