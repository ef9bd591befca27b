import AdapterKit
import PortcullisCore
import Testing

@Suite("The calendar's arithmetic (A-5, S-2)", .timeLimit(.minutes(5)))
struct GregorianTests {
    @Test(
        "S-2: of the years that end a century only each fourth has a leap day",
        arguments: [
            (2000, true), (1600, true), (2400, true), (0, true), (-400, true), (1900, false), (1800, false),
            (2100, false), (-100, false), (2024, true), (1972, true), (-4, true), (2023, false),
            (2026, false),
            (1970, false),
        ]
    )
    func leapYears(_ year: Int, isLeap: Bool) {
        #expect(Gregorian.isLeap(year) == isLeap)
        #expect(Gregorian.length(ofMonth: 2, in: year) == (isLeap ? 29 : 28))
        let february = Gregorian.dayNumber(year: year, month: 2, day: 28)
        let next = Gregorian.Date(year: year, month: isLeap ? 2 : 3, day: isLeap ? 29 : 1)
        #expect(Gregorian.date(ofDay: february + 1) == next)
        let lastDay = Gregorian.dayNumber(year: year, month: 12, day: 31)
        #expect(lastDay + 1 - Gregorian.dayNumber(year: year, month: 1, day: 1) == (isLeap ? 366 : 365))
    }

    @Test("S-2: months have the lengths that they have")
    func months() {
        let lengths = (1...12).map { Gregorian.length(ofMonth: $0, in: 2026) }
        #expect(lengths == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    }

    @Test(
        "S-2: days that are known by other means, before 1970 and after",
        arguments: [
            (0, 1970, 1, 1, 4), (-1, 1969, 12, 31, 3), (11_016, 2000, 2, 29, 2), (11_017, 2000, 3, 1, 3),
            (-25_509, 1900, 2, 28, 3), (-25_508, 1900, 3, 1, 4), (20_454, 2026, 1, 1, 4),
            (-719_468, 0, 3, 1, 3),
            (-719_469, 0, 2, 29, 2), (-719_834, -1, 3, 1, 1), (146_097, 2370, 1, 1, 4),
        ]
    )
    func known(_ number: Int, year: Int, month: Int, day: Int, weekday: Int) {
        #expect(Gregorian.date(ofDay: number) == Gregorian.Date(year: year, month: month, day: day))
        #expect(Gregorian.dayNumber(year: year, month: month, day: day) == number)
        #expect(Gregorian.weekday(ofDay: number) == weekday)
    }

    @Test(
        "S-2: each day follows the one before, over the ends of centuries",
        arguments: [1599, 1899, 1999, 2099]
    )
    func walk(_ first: Int) {
        var number = Gregorian.dayNumber(year: first, month: 1, day: 1)
        for year in first...(first + 2) {
            for month in 1...12 {
                for day in 1...Gregorian.length(ofMonth: month, in: year) {
                    let date = Gregorian.Date(year: year, month: month, day: day)
                    if Gregorian.date(ofDay: number) != date { Issue.record("day \(number) is \(date)") }
                    number += 1
                }
            }
        }
        #expect(number == Gregorian.dayNumber(year: first + 3, month: 1, day: 1))
    }
}
