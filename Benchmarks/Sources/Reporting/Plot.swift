internal import Foundation

/// A line plot with logarithmic axes, as SVG.
package struct Plot {
    /// One line.
    package struct Series {
        let name: String
        /// What is varied, and nanoseconds.
        let points: [(x: Double, y: Double)]

        /// A line through these points, all greater than 0.
        package init(_ name: String, _ points: [(x: Double, y: Double)]) {
            (self.name, self.points) = (name, points)
        }
    }

    private let title: String
    private let horizontal: String
    private let series: [Series]

    private static let (width, height) = (760.0, 430.0)
    private static let (left, right, top, bottom) = (80.0, 170.0, 44.0, 50.0)
    /// Colours that people who do not see all of them can tell apart (Okabe and Ito).
    private static let colours = ["#0072B2", "#000000", "#E69F00", "#009E73", "#D55E00", "#CC79A7"]

    /// A plot of these lines over what is varied.
    package init(_ title: String, over horizontal: String, _ series: [Series]) {
        (self.title, self.horizontal) = (title, horizontal)
        self.series = series.filter { !$0.points.isEmpty }
    }

    /// The picture; `nil` when there is nothing to show.
    package var svg: String? {
        let points = series.flatMap(\.points)
        guard let x = Axis(points.map(\.x)), let y = Axis(points.map(\.y)) else { return nil }
        func place(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
            (
                Self.left + x.place(point.x) * (Self.width - Self.left - Self.right),
                Self.height - Self.bottom - y.place(point.y) * (Self.height - Self.top - Self.bottom)
            )
        }
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(number(Self.width)) \(number(Self.height))\" "
                + "font-family=\"sans-serif\" font-size=\"13\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            text(title, Self.left, 24, "start", " font-size=\"15\" font-weight=\"bold\""),
        ]
        for step in x.steps {
            let at = place((step, y.lowest))
            parts.append(line(at, place((step, y.highest)), "#dddddd"))
            parts.append(text(Self.thousands(step), at.x, at.y + 20, "middle"))
        }
        for step in y.steps {
            let at = place((x.lowest, step))
            parts.append(line(at, place((x.highest, step)), "#dddddd"))
            parts.append(text(Scale(step, .time).text(step), at.x - 8, at.y + 4, "end"))
        }
        let middle = place((x.lowest, y.lowest)).x / 2 + place((x.highest, y.lowest)).x / 2
        parts.append(text(horizontal, middle, Self.height - 10, "middle"))
        // Names stand beside the last points, pushed apart where those lie close together.
        var lowest = Self.height
        let drawn = zip(series, Self.colours).map { (series: $0, colour: $1) }
            .sorted { ($0.series.points.last?.y ?? 0) < ($1.series.points.last?.y ?? 0) }
        for (series, colour) in drawn {
            let places = series.points.map(place)
            let path = places.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
            parts.append(
                "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>"
            )
            parts += places.map {
                "<circle cx=\"\(number($0.x))\" cy=\"\(number($0.y))\" r=\"3\" fill=\"\(colour)\"/>"
            }
            guard let last = places.last else { continue }
            lowest = min(last.y + 4, lowest - 16)
            parts.append(text(series.name, last.x + 10, lowest, "start", " fill=\"\(colour)\""))
        }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private func line(_ from: (x: Double, y: Double), _ to: (x: Double, y: Double), _ colour: String)
        -> String
    {
        "<line x1=\"\(number(from.x))\" y1=\"\(number(from.y))\" x2=\"\(number(to.x))\" y2=\"\(number(to.y))\" "
            + "stroke=\"\(colour)\"/>"
    }

    private func text(_ text: String, _ x: Double, _ y: Double, _ anchor: String, _ more: String = "")
        -> String
    {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\"\(more)>\(text)</text>"
    }

    private func number(_ value: Double) -> String { String(format: "%.1f", value) }

    private static func thousands(_ value: Double) -> String {
        value >= 1_000 ? "\(Int(value / 1_000)),000" : "\(Int(value))"
    }
}

/// A logarithmic axis over whole powers of ten.
private struct Axis {
    private let exponents: ClosedRange<Int>
    var lowest: Double { pow(10, Double(exponents.lowerBound)) }
    var highest: Double { pow(10, Double(exponents.upperBound)) }
    var steps: [Double] { exponents.map { pow(10, Double($0)) } }

    init?(_ values: [Double]) {
        guard let least = values.min(), let most = values.max(), least > 0 else { return nil }
        let low = Int(log10(least).rounded(.down))
        exponents = low...max(low + 1, Int(log10(most).rounded(.up)))
    }

    /// From 0 to 1.
    func place(_ value: Double) -> Double {
        (log10(value) - Double(exponents.lowerBound)) / Double(exponents.count - 1)
    }
}
