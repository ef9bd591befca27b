import CronScheduler
import Testing

@Suite(.timeLimit(.minutes(10))) struct DescriptionTests {
    @Test("S-1: the canonical text of 20,000 random expressions reads back as the same")
    func fields() throws {
        var random = RandomExpressions.Generator(seed: 7)
        var stars = 0
        for _ in 0..<20_000 {
            let text = RandomExpressions.fields(using: &random)
            let expression = try CronExpression(text)
            let again = try CronExpression(expression.description)
            #expect(again == expression, "\(text) became \(expression)")
            #expect(again.description == expression.description)
            #expect(again.explanation == expression.explanation)
            if expression.description.contains("*/") { stars += 1 }
        }
        #expect(stars > 1_000)
    }

    @Test("S-1: intervals of any length and zones read back as the same")
    func intervals() throws {
        var random = RandomExpressions.Generator(seed: 8)
        for bits in 1...46 {
            for _ in 0..<50 {
                let seconds = Int.random(in: 1..<(1 << bits), using: &random)
                let text = "@every \(seconds / 86_400)d\(seconds % 86_400)s"
                guard let expression = try? CronExpression(text) else { continue }
                #expect(try CronExpression(expression.description) == expression, "\(text)")
            }
        }
        let largest = try CronExpression("@every 1000000000d1000000000h1000000000m1000000000s")
        #expect(try CronExpression(largest.description) == largest)
        for text in ["TZ=Europe/Riga @reboot", "CRON_TZ=UTC @every 5m", "TZ=Asia/Tokyo 1 2 3 4 5"] {
            let expression = try CronExpression(text)
            #expect(expression.description.hasPrefix("CRON_TZ="))
            #expect(try CronExpression(expression.description) == expression)
        }
    }

    @Test(
        "S-1: the same years in another way are the same expression",
        arguments: [
            ("2026,2027", "2026-2027", "2026-2027"), ("2028,2026,2027,2026", "2026-2028", "2026-2028"),
            ("2026-2028,2028-2030", "2026-2030/1", "2026-2030"), ("2026,2028", "2026-2029/2", "2026,2028"),
            ("2026,2028,2030", "2026-2031/2", "2026-2030/2"), ("2027/9000", "2027", "2027"),
            ("2026-9999", "2026/1", "2026-9999"), ("2026/2,2027/2", "2026-9999", "2026-9999"),
            ("9998,9999", "9998/1", "9998-9999"), ("9995-9999/2", "9999,9997,9995", "9995/2"),
            ("*/2,1-2", "2,1,4/2", "1-2,4/2"), ("*/4", "2/4", "*/4"),
        ]
    )
    func years(_ one: String, _ other: String, _ text: String) throws {
        let first = try CronExpression("0 0 0 1 1 * \(one)")
        let second = try CronExpression("0 0 0 1 1 * \(other)")
        #expect(first.description == "0 0 0 1 JAN * \(text)")
        #expect(first == second)
        #expect(try CronExpression(first.description) == first)
    }

    @Test("S-1: years that are all years are none")
    func allYears() throws {
        let every = try CronExpression("0 0 0 1 1 * *")
        for years in ["1-9999", "*/1", "1-5000,5001-9999", "*/2,1/2", "2027,*"] {
            #expect(try CronExpression("0 0 0 1 1 * \(years)") == every)
        }
        #expect(try CronExpression("0 0 0 1 1 *") == every)
        #expect(try CronExpression("0 0 0 1 1 * */2") != every)
    }

    @Test("S-1: whether a day field starts with a star is kept, since it decides the day rule")
    func stars() throws {
        let pairs = [
            ("0 0 */2 * 1", "0 0 1-31/2 * 1"), ("0 0 1 * */2", "0 0 1 * 0-6/2"),
            ("0 0 */40 * 1", "0 0 1 * 1"), ("0 0 * * 1", "0 0 1-31 * 1"),
        ]
        for (star, plain) in pairs {
            let (starred, other) = (try CronExpression(star), try CronExpression(plain))
            #expect(starred != other)
            #expect(starred.description != other.description)
        }
    }
}
