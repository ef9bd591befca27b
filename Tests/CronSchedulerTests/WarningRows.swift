import CronScheduler
import Testing

extension WarningTests {
    /// A text and what is said of it.
    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var code: CronWarning.Code
        var field: CronField
        var message: String
        var hint: String?

        init(
            _ text: String,
            _ code: CronWarning.Code,
            _ field: CronField,
            _ message: String,
            _ hint: String?
        ) {
            self.text = text
            self.code = code
            self.field = field
            self.message = message
            self.hint = hint
        }

        var testDescription: String { text }

        static let all = [
            Row(
                "0 0 30 2 *",
                .neverFires,
                .day,
                "it never fires: February never has such a day",
                "for the last day write 0 0 L FEB *"
            ),
            Row(
                "0 0 31 4,6 *",
                .neverFires,
                .day,
                "it never fires: none of its months has such a day",
                "for the last day write 0 0 L APR,JUN *"
            ),
            Row(
                "0 0 0 29 2 ? 2027",
                .neverFires,
                .year,
                "it never fires: none of its years has such a date",
                "29 February comes in leap years only"
            ),
            Row(
                "0 0 0 1 1 * 2020",
                .isOver,
                .year,
                "it does not fire any more: the last of its years is over",
                "leave the year out for every year"
            ),
            Row(
                "0 0 31 * *",
                .skippedMonths,
                .day,
                "February, April, June, September and November have no 31st and are passed over",
                "for the last day write 0 0 L * *"
            ),
            Row(
                "0 0 30 1-3 *",
                .skippedMonths,
                .day,
                "February has no 30th and is passed over",
                "for the last day write 0 0 L JAN-MAR *"
            ),
            Row(
                "0 0 29 * *",
                .skippedMonths,
                .day,
                "February has a 29th in leap years only, and is passed over in others",
                "for the last day write 0 0 L * *"
            ),
            Row(
                "0 0 31W * *",
                .skippedMonths,
                .day,
                "February, April, June, September and November have no 31st and are passed over",
                "for the last day write 0 0 L * *"
            ),
            Row(
                "0 0 L-30 * *",
                .skippedMonths,
                .day,
                "February, April, June, September and November have no 30th day before the last and are passed over",
                "every month has L-27 and what is later"
            ),
            Row(
                "0 0 L-28W * *",
                .skippedMonths,
                .day,
                "February has a 28th day before the last in leap years only, and is passed over in others",
                "every month has L-27 and what is later"
            ),
            Row(
                "0 0 * * 5#5",
                .skippedMonths,
                .weekday,
                "months without a fifth Friday are passed over",
                "for the last of the month write 0 0 * * FRIL"
            ),
            Row(
                "0 0 0 * * 5#5,1#5 2027",
                .skippedMonths,
                .weekday,
                "months without a fifth Monday or fifth Friday are passed over",
                "for the last of the month write 0 0 0 * * MONL,FRIL 2027"
            ),
            Row(
                "0 0 30 2 1",
                .skippedMonths,
                .day,
                "February never has such a day: it fires on Monday only",
                "for the last day as well write 0 0 L FEB MON"
            ),
            Row(
                "0 0 31 4,6 1#1",
                .skippedMonths,
                .day,
                "none of its months has such a day: it fires on the first Monday only",
                "for the last day as well write 0 0 L APR,JUN MON#1"
            ),
            Row(
                "0 0 29 2 *",
                .rareDate,
                .day,
                "years pass between its dates: it fires on 2028-02-29 and next on 2032-02-29",
                "for the last day of the month write 0 0 L FEB *"
            ),
            Row(
                "0 0 * 2 5#5",
                .rareDate,
                .day,
                "years pass between its dates: it fires on 2036-02-29 and next on 2064-02-29",
                nil
            ),
            Row(
                "0 0 13 * 5",
                .eitherDay,
                .weekday,
                "either is enough: it fires on the 13th, and on Friday too",
                "write * for the one that is not to count"
            ),
            Row(
                "0 0 8-14 * MON",
                .eitherDay,
                .weekday,
                "either is enough: it fires on the 8th to 14th, and on Monday too",
                "for the second Monday write 0 0 * * MON#2"
            ),
            Row(
                "0 0 1-31 * 1",
                .eitherDay,
                .weekday,
                "it fires every day: the day field has all days, and either is enough",
                "if the weekday is to decide write 0 0 * * MON"
            ),
            Row(
                "0 0 1 * 1-7",
                .eitherDay,
                .day,
                "it fires every day: the weekday field has all days, and either is enough",
                "if the day is to decide write 0 0 1 * *"
            ),
            Row(
                "* 5 * * *",
                .everyMinute,
                .minute,
                "it fires 60 times an hour, at every minute",
                "for once an hour write 0 5 * * *"
            ),
            Row(
                "* */2 * * *",
                .everyMinute,
                .minute,
                "it fires 60 times an hour, at every minute",
                "for once an hour write 0 */2 * * *"
            ),
            Row(
                "* 30 4 * * *",
                .everySecond,
                .second,
                "it fires 60 times a minute, at every second",
                "for once a minute write 30 4 * * *"
            ),
            Row(
                "* * 4 * * *",
                .everySecond,
                .second,
                "it fires 3600 times an hour, at every second",
                "for once an hour write 0 4 * * *"
            ),
            Row(
                "*/7 * * * *",
                .unevenStep,
                .minute,
                "a step of 7 starts again at minute 0: after 56 the pause is 4 minutes",
                "for equal pauses write @every 7m"
            ),
            Row(
                "*/59 * * * * *",
                .unevenStep,
                .second,
                "a step of 59 starts again at second 0: after 59 the pause is 1 second",
                "for equal pauses write @every 59s"
            ),
            Row(
                "0 */5 * * *",
                .unevenStep,
                .hour,
                "a step of 5 starts again at hour 0: after 20 the pause is 4 hours",
                "for equal pauses write @every 5h"
            ),
            Row(
                "0 0 */2 * *",
                .unevenStep,
                .day,
                "a step of 2 starts again on the 1st of each month: after the 31st comes the 1st",
                "for equal pauses write @every 2d"
            ),
            Row(
                "0 0 1 */5 *",
                .unevenStep,
                .month,
                "a step of 5 starts again each January: after November the pause is 2 months",
                "for equal pauses take a step that divides 12"
            ),
            Row(
                "0 0 * * */2",
                .unevenStep,
                .weekday,
                "a step of 2 starts again each Sunday: after Saturday the pause is 1 day",
                "for equal pauses write @every 2d"
            ),
            Row(
                "*/90 * * * *",
                .oversizedStep,
                .minute,
                "a step of 90 goes beyond the minute field: it fires at minute 0 only",
                "for a pause that long write @every 90m"
            ),
            Row(
                "CRON_TZ=UTC */60 * * * *",
                .oversizedStep,
                .minute,
                "a step of 60 goes beyond the minute field: it fires at minute 0 only",
                "write 0"
            ),
            Row(
                "0 9,10-11/5 * * *",
                .oversizedStep,
                .hour,
                "a step of 5 goes beyond the range: 10-11/5 is hour 10 only",
                "write 10"
            ),
            Row(
                "0 0 1 */12 *",
                .oversizedStep,
                .month,
                "a step of 12 goes beyond the month field: it fires in January only",
                "write 1"
            ),
        ]
    }
}
