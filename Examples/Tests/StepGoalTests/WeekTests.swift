import PortcullisCore
import Testing

@testable import step_goal

@Suite("The week")
struct WeekTests {
    private static let sunday = CivilDate(year: 2026, month: 3, day: 1)

    private func sample(
        _ steps: Double,
        hour: Int? = 8,
        offset: Int = 60,
        from source: String,
        on date: CivilDate = sunday
    ) -> StepSample {
        StepSample(
            date: date,
            hour: hour.map { .init(number: $0, offset: offset) },
            steps: steps,
            source: source
        )
    }

    private func week(_ samples: [StepSample], source: String? = nil) -> StepWeek {
        var week = StepWeek(until: Self.sunday, source: source)
        for sample in samples { week.add(sample) }
        return week
    }

    @Test("seven days up to the date, over the end of a month")
    func dates() {
        #expect(week([]).dates.map(\.description).first == "2026-02-23")
        #expect(week([]).dates.map(\.description).last == "2026-03-01")
        #expect(week([]).dates.count == 7)
        #expect(StepWeek.label(Self.sunday) == "Sun  1 Mar")
        let leap = StepWeek(until: CivilDate(year: 2024, month: 3, day: 1)).dates
        #expect(leap.contains(CivilDate(year: 2024, month: 2, day: 29)))
    }

    @Test("of each hour the source that counted the most, and the hours together")
    func twoSources() {
        let week = week([
            sample(100, from: "Phone"), sample(50, from: "Phone"), sample(120, from: "Watch"),
            sample(10, hour: 9, from: "Phone"), sample(80, hour: 9, from: "Watch"),
        ])
        #expect(week.steps(on: Self.sunday) == 150 + 80)
        #expect(week.sources == ["Phone", "Watch"])
    }

    @Test("one source, where it is chosen")
    func oneSource() {
        let samples = [
            sample(100, from: "Phone"), sample(120, from: "Watch"), sample(5, hour: 9, from: "Phone"),
        ]
        #expect(week(samples, source: "Phone").steps(on: Self.sunday) == 105)
        #expect(throws: Never.self) { try week(samples, source: "Phone").checkSource() }
        #expect(throws: Never.self) { try week(samples).checkSource() }
    }

    @Test("a source that counted nothing in the week is refused, and those that did are named")
    func unknownSource() {
        let old = CivilDate(year: 2016, month: 3, day: 1)
        let samples = [
            sample(100, from: "Phone"), sample(120, from: "Watch"), sample(9, from: "Ring", on: old),
        ]
        for source in ["Phon", "Ring"] {
            #expect(throws: UnknownSource(source: source, known: ["Phone", "Watch"])) {
                try week(samples, source: source).checkSource()
            }
        }
        #expect(throws: UnknownSource(source: "Phone", known: [])) {
            try week([sample(1, from: "")], source: "Phone").checkSource()
        }
    }

    @Test("the hour that comes twice, when clocks go back, is two hours")
    func overlap() {
        let samples = [
            sample(30, hour: 2, offset: 120, from: "Phone"), sample(40, hour: 2, offset: 60, from: "Watch"),
        ]
        #expect(week(samples).steps(on: Self.sunday) == 70)
    }

    @Test("counts of other days are passed by, so that memory does not grow with them")
    func otherDays() {
        let week = week([sample(9, from: "Old phone", on: CivilDate(year: 2016, month: 3, day: 1))])
        #expect(week.sources == [])
        #expect(week.dates.allSatisfy { week.steps(on: $0) == 0 })
    }

    @Test("bars of both kinds, with a line at the goal")
    func plot() {
        let days = [(0, "a"), (4_000, "b"), (10_000, "c"), (16_000, "d")].map {
            WeekPlot.Day(label: $1, steps: $0)
        }
        #expect(
            WeekPlot(days: days, goal: 10_000, style: .ascii).lines == [
                "a                      |                  0",
                "b  ########            |               4000",
                "c  ####################|              10000  reached",
                "d  ################################   16000  reached",
            ]
        )
        let unicode = WeekPlot(days: [.init(label: "e", steps: 5_050)], goal: 10_000, style: .unicode).lines
        #expect(unicode == ["e  ████████████████▏               │  5050"])
    }

    @Test("a goal is reached by whole steps")
    func almost() {
        let days = [9_999.9, 10_000].map { WeekPlot.Day(label: "", steps: $0) }
        let lines = WeekPlot(days: days, goal: 10_000, style: .ascii).lines
        #expect(!lines[0].contains("reached") && lines[0].contains(" 9999"))
        #expect(lines[1].hasSuffix("reached"))
    }

    @Test("progress by bytes")
    func progress() {
        #expect(
            ProgressLine.text(900_000_000, of: 2_000_000_000) == "[#########-----------] 45 %, 900 of 2000 MB"
        )
        #expect(ProgressLine.text(2_000_000, of: nil) == "2 MB")
    }
}
