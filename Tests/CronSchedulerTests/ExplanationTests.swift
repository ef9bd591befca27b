import CronScheduler
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExplanationTests {
    @Test("S-1: each expression in plain English", arguments: Case.all)
    func sentence(_ row: Case) throws {
        #expect(try CronExpression(row.text).explanation == row.sentence)
    }

    @Test("S-1: canonical texts", arguments: Case.all)
    func canonical(_ row: Case) throws {
        let expression = try CronExpression(row.text)
        #expect(expression.description == row.canonical)
        #expect(try CronExpression(row.canonical) == expression)
    }

    @Test("S-1: expressions that one writes differently and mean alike have one sentence")
    func alike() throws {
        let pairs = [
            ("@daily", "0 0 * * *"), ("0 0 * * *", "0 0 0 * * ?"), ("0 0 * * 7", "0 0 * * SUN"),
            ("*/20 * * * *", "0,20,40 * * * *"), ("@every 90m", "@every 1h30m"),
            ("0 22-2 * * *", "0 0-2,22,23 * * *"),
            ("0 0 1-31 * *", "0 0 * * *"), ("TZ=UTC 0 0 * * *", "CRON_TZ=UTC @midnight"),
        ]
        for (left, right) in pairs {
            #expect(try CronExpression(left).explanation == CronExpression(right).explanation)
        }
    }

    @Test("S-1: no sentence is shared by expressions that fire at different times")
    func unambiguous() throws {
        var random = RandomExpressions.Generator(seed: 11)
        var known: [String: CronExpression] = [:]
        var shared = 0
        for _ in 0..<300 {
            for variation in RandomExpressions.variations(using: &random) {
                let expression = try CronExpression(variation)
                guard let other = known.updateValue(expression, forKey: expression.explanation),
                    other != expression
                else { continue }
                shared += 1
                #expect(fires(expression) == fires(other), "\(expression) and \(other)")
            }
        }
        #expect(known.count > 4_000)
        #expect(shared > 0, "the same times can be written in several ways")
    }

    /// Fires from many instants of 28 years on, after which weekdays and dates repeat.
    private func fires(_ expression: CronExpression) -> [Int?] {
        var second = 0
        var fires: [Int?] = []
        for step in 0..<400 {
            let next = expression.nextSecond(after: second, in: .utc)
            fires.append(next)
            guard let next else { break }
            // Some days on at first, then one fire after the other.
            second = step < 200 ? next + 13 * 86_400 + 7_200 : next
        }
        return fires
    }
}

extension ExplanationTests {
    /// An expression, its canonical text and its sentence.
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var canonical: String
        var sentence: String

        init(_ text: String, _ canonical: String, _ sentence: String) {
            self.text = text
            self.canonical = canonical
            self.sentence = sentence
        }

        var testDescription: String { text }

        static let all = [
            Case("* * * * *", "* * * * *", "Every minute."),
            Case("*/5 * * * *", "*/5 * * * *", "Every 5 minutes."),
            Case(
                "*/15 9-17 * * 1-5",
                "*/15 9-17 * * MON-FRI",
                "Every 15 minutes from 09:00 to 17:45 on Monday to Friday."
            ),
            Case("30 4 * * 1-5", "30 4 * * MON-FRI", "At 04:30 on Monday to Friday."),
            Case("0 0 * * *", "0 0 * * *", "At 00:00 every day."),
            Case("0 * * * *", "0 * * * *", "Every hour."),
            Case("5 * * * *", "5 * * * *", "At minute 5 past every hour."),
            Case("5,35 * * * *", "5,35 * * * *", "At minutes 5 and 35 past every hour."),
            Case("0 0 L * *", "0 0 L * *", "At 00:00 on the last day of every month."),
            Case("0 0 13 * 5", "0 0 13 * FRI", "At 00:00 on the 13th of the month or on Friday."),
            Case(
                "0 0 */2 * 1",
                "0 0 */2 * MON",
                "At 00:00 on every 2nd day from the 1st to the 31st of every month if it is Monday."
            ),
            Case("0 0 1 1 *", "0 0 1 JAN *", "At 00:00 on the 1st of January."),
            Case("0 0 1 */3 *", "0 0 1 */3 *", "At 00:00 on the 1st of January, April, July and October."),
            Case("0 0 1,15 * *", "0 0 1,15 * *", "At 00:00 on the 1st and the 15th of every month."),
            Case("0 22 * * 1-5", "0 22 * * MON-FRI", "At 22:00 on Monday to Friday."),
            Case("23 0-20/2 * * *", "23 0-20/2 * * *", "Every 2 hours from 00:23 to 20:23 every day."),
            Case("5 4 * * SUN", "5 4 * * SUN", "At 04:05 on Sunday."),
            Case(
                "0 0,12 1 */2 *",
                "0 0,12 1 */2 *",
                "At 00:00 and 12:00 on the 1st of January, March, May, July, September and November."
            ),
            Case("0 4 8-14 * *", "0 4 8-14 * *", "At 04:00 on the 8th to 14th of every month."),
            Case("0 0 1-7 * 1", "0 0 1-7 * MON", "At 00:00 on the 1st to 7th of the month or on Monday."),
            Case("15 14 1 * *", "15 14 1 * *", "At 14:15 on the 1st of every month."),
            Case("0 9-17 * * *", "0 9-17 * * *", "Every hour from 09:00 to 17:00 every day."),
            Case(
                "0 9-12,14-17 * * MON-FRI",
                "0 9-12,14-17 * * MON-FRI",
                "Every hour from 09:00 to 12:00 and from 14:00 to 17:00 on Monday to Friday."
            ),
            Case("*/30 9,17 * * *", "*/30 9,17 * * *", "At 09:00, 09:30, 17:00 and 17:30 every day."),
            Case("* 5 * * *", "* 5 * * *", "Every minute from 05:00 to 05:59 every day."),
            Case("* 9-17 * * *", "* 9-17 * * *", "Every minute from 09:00 to 17:59 every day."),
            Case(
                "* */2 * * *",
                "* */2 * * *",
                "Every minute in every 2nd hour from 00:00 to 22:00 every day."
            ),
            Case(
                "*/10 */3 * * *",
                "*/10 */3 * * *",
                "Every 10 minutes in every 3rd hour from 00:00 to 21:00 every day."
            ),
            Case("10-20 * * * *", "10-20 * * * *", "Every minute from 10 to 20 past every hour."),
            Case("10-20 5 * * *", "10-20 5 * * *", "Every minute from 05:10 to 05:20 every day."),
            Case("10-40/5 5 * * *", "10-40/5 5 * * *", "Every 5 minutes from 05:10 to 05:40 every day."),
            Case("*/7 * * * *", "*/7 * * * *", "Every 7th minute from 0 to 56 past every hour."),
            Case("*/90 * * * *", "0 * * * *", "Every hour."),
            Case(
                "7-59/13 2,8,19 * * *",
                "7-59/13 2,8,19 * * *",
                "Every 13th minute from 7 to 59 past 02:00, 08:00 and 19:00 every day."
            ),
            Case(
                "0 22-2 * * *",
                "0 0-2,22,23 * * *",
                "Every hour from 00:00 to 02:00 and from 22:00 to 23:00 every day."
            ),
            Case("0 */2 * * *", "0 */2 * * *", "Every 2 hours."),
            Case("30 */2 * * *", "30 */2 * * *", "Every 2 hours from 00:30 to 22:30 every day."),
            Case("0 */5 * * *", "0 */5 * * *", "Every 5 hours from 00:00 to 20:00 every day."),
            Case("0 */8 * * *", "0 */8 * * *", "Every 8 hours."),
            Case("* * * * * *", "* * * * * *", "Every second."),
            Case("*/10 * * * * *", "*/10 * * * * *", "Every 10 seconds."),
            Case("30 * * * * *", "30 * * * * *", "At second 30 of every minute."),
            Case("15 30 4 * * *", "15 30 4 * * *", "At 04:30:15 every day."),
            Case("10,40 5 * * * *", "10,40 5 * * * *", "At seconds 10 and 40 of minute 5 past every hour."),
            Case("0 0 12 1 1 ? 2027", "0 0 12 1 JAN * 2027", "At 12:00 on the 1st of January, in 2027."),
            Case(
                "0 0 12 1 1 ? 2027-2030",
                "0 0 12 1 JAN * 2027-2030",
                "At 12:00 on the 1st of January, from 2027 to 2030."
            ),
            Case(
                "0 0 12 1 1 ? 2027/2",
                "0 0 12 1 JAN * 2027/2",
                "At 12:00 on the 1st of January, in every 2nd year from 2027 on."
            ),
            Case("* 30 4 * * *", "* 30 4 * * *", "Every second from 04:30:00 to 04:30:59 every day."),
            Case(
                "*/5 * 9-17 * * *",
                "*/5 * 9-17 * * *",
                "Every 5 seconds from 09:00:00 to 17:59:55 every day."
            ),
            Case("0 0 LW * *", "0 0 LW * *", "At 00:00 on the last workday of every month."),
            Case("0 0 L-3 * *", "0 0 L-3 * *", "At 00:00 on the 3rd day before the last of every month."),
            Case(
                "0 0 L-3W * *",
                "0 0 L-3W * *",
                "At 00:00 on the workday nearest to the 3rd day before the last of every month."
            ),
            Case("0 0 15W * *", "0 0 15W * *", "At 00:00 on the workday nearest to the 15th of every month."),
            Case("0 0 * * 5L", "0 0 * * FRIL", "At 00:00 on the last Friday of every month."),
            Case("0 0 * * 5#2", "0 0 * * FRI#2", "At 00:00 on the second Friday of every month."),
            Case("0 0 * * FRI#L", "0 0 * * FRIL", "At 00:00 on the last Friday of every month."),
            Case(
                "0 0 * * 1,5#2",
                "0 0 * * MON,FRI#2",
                "At 00:00 on Monday and the second Friday of every month."
            ),
            Case(
                "0 12 15W,L * *",
                "0 12 L,15W * *",
                "At 12:00 on the last day and the workday nearest to the 15th of every month."
            ),
            Case("0 0 * * FRI-MON", "0 0 * * FRI-MON", "At 00:00 on Friday to Monday."),
            Case("0 0 * NOV-FEB *", "0 0 * NOV-FEB *", "At 00:00 every day from November to February."),
            Case("0 0 * 6-8 MON", "0 0 * JUN-AUG MON", "At 00:00 on Monday from June to August."),
            Case(
                "0 0 13 1,7 5",
                "0 0 13 JAN,JUL FRI",
                "At 00:00 on the 13th of the month or on Friday, in January and July."
            ),
            Case("@yearly", "0 0 1 JAN *", "At 00:00 on the 1st of January."),
            Case("@annually", "0 0 1 JAN *", "At 00:00 on the 1st of January."),
            Case("@monthly", "0 0 1 * *", "At 00:00 on the 1st of every month."),
            Case("@weekly", "0 0 * * SUN", "At 00:00 on Sunday."),
            Case("@daily", "0 0 * * *", "At 00:00 every day."),
            Case("@midnight", "0 0 * * *", "At 00:00 every day."),
            Case("@hourly", "0 * * * *", "Every hour."),
            Case("@every 90m", "@every 90m", "Every 90 minutes, counted from its start."),
            Case("@every 1h", "@every 1h", "Every hour, counted from its start."),
            Case("@every 24h", "@every 24h", "Every 24 hours, counted from its start."),
            Case("@every 45s", "@every 45s", "Every 45 seconds, counted from its start."),
            Case("@every 2d", "@every 2d", "Every 2 days, counted from its start."),
            Case(
                "@every 1d2h3s",
                "@every 1d2h3s",
                "Every 1 day, 2 hours and 3 seconds, counted from its start."
            ),
            Case("@reboot", "@reboot", "Once, when the machine has started."),
            Case(
                "CRON_TZ=Europe/Riga 30 3 * * *",
                "CRON_TZ=Europe/Riga 30 3 * * *",
                "At 03:30 every day, in the time zone Europe/Riga."
            ),
            Case(
                "TZ=America/New_York @daily",
                "CRON_TZ=America/New_York 0 0 * * *",
                "At 00:00 every day, in the time zone America/New_York."
            ),
            Case("0 0 31 * *", "0 0 31 * *", "At 00:00 on the 31st of every month."),
            Case("0 0 30 * *", "0 0 30 * *", "At 00:00 on the 30th of every month."),
            Case("0 0 29 * *", "0 0 29 * *", "At 00:00 on the 29th of every month."),
            Case("0 0 30 2 *", "0 0 30 FEB *", "At 00:00 on the 30th of February."),
            Case("0 0 29 2 *", "0 0 29 FEB *", "At 00:00 on the 29th of February."),
            Case("0 0 31 4,6 *", "0 0 31 APR,JUN *", "At 00:00 on the 31st of April and June."),
            Case("0 0 0 1 1 * 2020", "0 0 0 1 JAN * 2020", "At 00:00 on the 1st of January, in 2020."),
            Case("0 0 0 29 2 * 2027", "0 0 0 29 FEB * 2027", "At 00:00 on the 29th of February, in 2027."),
            Case("0 0 1-31 * 1", "0 0 1-31 * MON", "At 00:00 every day."),
            Case("0 0 1 * 0-6", "0 0 1 * SUN-SAT", "At 00:00 every day."),
            Case("0 0 * * 6,0", "0 0 * * SAT,SUN", "At 00:00 on Saturday and Sunday."),
            Case("*/40 * * * *", "0,40 * * * *", "At minutes 0 and 40 past every hour."),
            Case(
                "0 0 */3 * *",
                "0 0 */3 * *",
                "At 00:00 on every 3rd day from the 1st to the 31st of every month."
            ),
            Case("0 0 * */5 *", "0 0 * JAN,JUN,NOV *", "At 00:00 every day in January, June and November."),
            Case("0 0 * * */2", "0 0 * * */2", "At 00:00 on Sunday, Tuesday, Thursday and Saturday."),
            Case("0 0 * * 7-2", "0 0 * * SUN-TUE", "At 00:00 on Sunday to Tuesday."),
            Case("30 3 * * *", "30 3 * * *", "At 03:30 every day."),
            Case("0-30/10 3 * * *", "0-30/10 3 * * *", "At 03:00, 03:10, 03:20 and 03:30 every day."),
            Case("0 0 * * 1-5/2", "0 0 * * MON,WED,FRI", "At 00:00 on Monday, Wednesday and Friday."),
            Case("1/2 * * * *", "1-59/2 * * * *", "Every 2nd minute from 1 to 59 past every hour."),
            Case(
                "0 0 25-5 * *",
                "0 0 1-5,25-31 * *",
                "At 00:00 on the 1st to 5th and the 25th to 31st of every month."
            ),
            Case("0 0 ? * ?", "0 0 * * *", "At 00:00 every day."),
            Case(
                "0 12 1 1-3 *",
                "0 12 1 JAN-MAR *",
                "At 12:00 on the 1st of every month from January to March."
            ),
            Case("0 0 * 2 5#5", "0 0 * FEB FRI#5", "At 00:00 on the fifth Friday of February."),
            Case(
                "0 0 12 1 1 ? */2",
                "0 0 12 1 JAN * */2",
                "At 12:00 on the 1st of January, in every 2nd year counted from 1970."
            ),
            Case(
                "* 1,5,9,13 * * *",
                "* 1-13/4 * * *",
                "Every minute in every 4th hour from 01:00 to 13:00 every day."
            ),
            Case(
                "0 0 * * 0,6#3",
                "0 0 * * SUN,SAT#3",
                "At 00:00 on Sunday and the third Saturday of every month."
            ),
            Case(
                "0 0 1W * MON",
                "0 0 1W * MON",
                "At 00:00 on the workday nearest to the 1st of the month or on Monday."
            ),
            Case(
                "0 0 */10 * 1-5",
                "0 0 */10 * MON-FRI",
                "At 00:00 on every 10th day from the 1st to the 31st of every month if it is Monday to Friday."
            ),
            Case(
                "30 0 9-17 * * MON-FRI",
                "30 0 9-17 * * MON-FRI",
                "Every hour from 09:00:30 to 17:00:30 on Monday to Friday."
            ),
            Case("* 0 * * * *", "* 0 * * * *", "Every second of minute 0 past every hour."),
            Case("0-9 * * * * *", "0-9 * * * * *", "Every second from 0 to 9 of every minute."),
            Case(
                "0,30 10-20 * * * *",
                "*/30 10-20 * * * *",
                "Every 30 seconds of every minute from 10 to 20 past every hour."
            ),
            Case(
                "5 */15 9-17 * * *",
                "5 */15 9-17 * * *",
                "At second 5 of every 15th minute from 0 to 45 past every hour from 09:00 to 17:00 every day."
            ),
            Case(
                "*/2 10-14/2 8 * * *",
                "*/2 10,12,14 8 * * *",
                "Every 2 seconds of minutes 10, 12 and 14 past 08:00 every day."
            ),
            Case(
                "1,2,3,7,11,20 5,6 * * *",
                "1-3,7,11,20 5,6 * * *",
                "At minutes 1 to 3, 7, 11 and 20 past 05:00 and 06:00 every day."
            ),
            Case(
                "0 0 11,12,13,21,22,23 * *",
                "0 0 11-13,21-23 * *",
                "At 00:00 on the 11th to 13th and the 21st to 23rd of every month."
            ),
            Case(
                "0 0 0 1 1 * 2027,2030,2040-2050/5",
                "0 0 0 1 JAN * 2027,2030,2040-2050/5",
                "At 00:00 on the 1st of January, in 2027, 2030 and every 5th year from 2040 to 2050."
            ),
            Case(
                "0 12 * JAN-MAR,OCT *",
                "0 12 * JAN-MAR,OCT *",
                "At 12:00 every day in January, February, March and October."
            ),
            Case(
                "0 0 L,15 FEB MON#1",
                "0 0 15,L FEB MON#1",
                "At 00:00 on the 15th and the last day of the month or on the first Monday, in February."
            ),
            Case("@every 60m", "@every 1h", "Every hour, counted from its start."),
            Case("@every 1s", "@every 1s", "Every second, counted from its start."),
            Case(
                "TZ=Asia/Kathmandu @reboot",
                "CRON_TZ=Asia/Kathmandu @reboot",
                "Once, when the machine has started, in the time zone Asia/Kathmandu."
            ),
        ]
    }
}
