/// Texts that are no expressions, and what is said of each: the text in quotation marks, the code, how many
/// characters come before the mistake, the field, the reason and the hint.
let syntaxErrorTable = #"""
    "" | empty | 0 | none | there is no expression | every minute is * * * * *
    "   " | empty | 3 | none | there is no expression | every minute is * * * * *
    "* * * *" | fieldCount | 7 | none | 4 fields where 5, 6 or 7 must be | the five are minute, hour, day, month and weekday; six begin with the second; seven end with the year
    "*" | fieldCount | 1 | none | 1 field where 5, 6 or 7 must be | the five are minute, hour, day, month and weekday; six begin with the second; seven end with the year
    "* * * * * * * *" | fieldCount | 14 | none | 8 fields where 5, 6 or 7 must be | pass the expression alone, without the command
    "*/5 * * * * /usr/bin/backup" | unexpectedText | 12 | none | “/usr/bin/backup” cannot follow the five fields | pass the expression alone, without the command
    "*/5 * * * * root /usr/bin/backup --all" | fieldCount | 33 | none | 8 fields where 5, 6 or 7 must be | pass the expression alone, without the command
    "0 4 * * 1 run1" | unexpectedText | 10 | none | “run1” cannot follow the five fields | pass the expression alone, without the command
    "0 4 * * 1 echo hi" | unexpectedText | 10 | none | “echo” cannot follow the five fields | pass the expression alone, without the command
    "60 * * * *" | outOfRange | 0 | minute | minute 60 is out of range 0–59 | the last minute is 59; the next one starts at 0
    "* 24 * * *" | outOfRange | 2 | hour | hour 24 is out of range 0–23 | midnight is 0
    "* 25 * * *" | outOfRange | 2 | hour | hour 25 is out of range 0–23 | hours are written 0 to 23, without a.m. and p.m.
    "* * 0 * *" | outOfRange | 4 | day | day 0 is out of range 1–31 | the first day is 1; the last is L
    "* * 32 * *" | outOfRange | 4 | day | day 32 is out of range 1–31 | the last day of every month is L
    "* * * 0 *" | outOfRange | 6 | month | month 0 is out of range 1–12 | January is 1 or JAN
    "* * * 13 *" | outOfRange | 6 | month | month 13 is out of range 1–12 | December is 12 or DEC
    "* * * * 8" | outOfRange | 8 | weekday | weekday 8 is out of range 0–7 | Sunday is 0, 7 or SUN, Saturday is 6 or SAT
    "60 * * * * *" | outOfRange | 0 | second | second 60 is out of range 0–59 | the last second is 59; the next one starts at 0
    "* * * * * * 0" | outOfRange | 12 | year | year 0 is out of range 1–9999 | write a year such as 2030
    "* * * * * * 10000" | outOfRange | 12 | year | year 10000 is out of range 1–9999 | write a year such as 2030
    "99999999999999999999 * * * *" | outOfRange | 0 | minute | minute 99999999999999999999 is out of range 0–59 | for longer pauses leave it 0 and use the next field, or write @every
    "-1 * * * *" | unexpectedText | 0 | minute | “-” cannot stand here in the minute field | a range is two values with - between them: 1-5
    "* * * JANUARY *" | unknownName | 6 | month | “JANUARY” is no month | write JAN
    "* * * JAM *" | unknownName | 6 | month | “JAM” is no month | write *, a number from 1 to 12, or JAN to DEC
    "* * * * MONDAY" | unknownName | 8 | weekday | “MONDAY” is no weekday | write MON
    "* * * * FOO" | unknownName | 8 | weekday | “FOO” is no weekday | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "* * * * DOMINGO" | unknownName | 8 | weekday | “DOMINGO” is no weekday | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "MON * * * *" | unknownName | 0 | minute | “MON” is no minute | write *, a number from 0 to 59, a range 1-5, or a step */10
    "* * * FRI *" | unknownName | 6 | month | “FRI” is no month | write *, a number from 1 to 12, or JAN to DEC
    "* * * * JAN" | unknownName | 8 | weekday | “JAN” is no weekday | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "1,,2 * * * *" | missingValue | 2 | minute | the minute list has an empty item | remove a comma
    ",1 * * * *" | missingValue | 0 | minute | the minute list has an empty item | remove a comma
    "1, * * * *" | missingValue | 2 | minute | the minute list has an empty item | remove a comma
    ", * * * *" | missingValue | 0 | minute | the minute list has an empty item | remove a comma
    "*/0 * * * *" | invalidStep | 2 | minute | a step of 0 never moves on | the smallest step is 1
    "*/ * * * *" | invalidStep | 2 | minute | a step is missing after / | every second minute is */2
    "*/a * * * *" | invalidStep | 2 | minute | a step is missing after / | every second minute is */2
    "1/2/3 * * * *" | unexpectedText | 3 | minute | “/” cannot stand here in the minute field | a step follows *, a value or a range, once
    "*/-5 * * * *" | invalidStep | 2 | minute | a step is missing after / | every second minute is */2
    "1- * * * *" | missingValue | 2 | minute | a minute is missing | write *, a number from 0 to 59, a range 1-5, or a step */10
    "1-2-3 * * * *" | unexpectedText | 3 | minute | “-” cannot stand here in the minute field | a range is two values with - between them: 1-5
    "-5 * * * *" | unexpectedText | 0 | minute | “-” cannot stand here in the minute field | a range is two values with - between them: 1-5
    "1--2 * * * *" | unexpectedText | 2 | minute | “-” cannot stand here in the minute field | a range is two values with - between them: 1-5
    "*-5 * * * *" | unexpectedText | 1 | minute | “-” cannot stand here in the minute field | a range is two values with - between them: 1-5
    "1-* * * * *" | unexpectedText | 2 | minute | “*” cannot stand here in the minute field | * stands alone or before a step: */5
    "** * * * *" | unexpectedText | 1 | minute | “*” cannot stand here in the minute field | * stands alone or before a step: */5
    "*5 * * * *" | unexpectedText | 1 | minute | “5” cannot stand here in the minute field | * stands alone or before a step: */5
    "5* * * * *" | unexpectedText | 1 | minute | “*” cannot stand here in the minute field | * stands alone or before a step: */5
    "*,*/ * * * *" | invalidStep | 4 | minute | a step is missing after / | every second minute is */2
    "0 0 0 1 1 * 2030-2020" | invalidRange | 12 | year | years 2030-2020 run backwards | write the earlier year first
    "L * * * *" | misplaced | 0 | minute | L cannot stand in the minute field | L is for the day and weekday fields
    "* L * * *" | misplaced | 2 | hour | L cannot stand in the hour field | L is for the day and weekday fields
    "* * * L *" | misplaced | 6 | month | L cannot stand in the month field | L is for the day and weekday fields
    "* * * * L" | misplaced | 8 | weekday | L alone says nothing in the weekday field | the last Friday of the month is 5L; Saturday is 6
    "* * L- * *" | missingValue | 6 | day | L- wants a number of days | three days before the last is L-3
    "* * L-31 * *" | outOfRange | 6 | day | L-31 is out of range L-0–L-30 | no month is longer
    "* * 5L * *" | unexpectedText | 5 | day | “L” cannot stand here in the day field | L stands alone or after a weekday: L, 5L
    "* * W * *" | unexpectedText | 4 | day | “W” cannot stand here in the day field | W follows a single day of the month: 15W
    "* * 0W * *" | outOfRange | 4 | day | day 0 is out of range 1–31 | the first day is 1; the last is L
    "* * 32W * *" | outOfRange | 4 | day | day 32 is out of range 1–31 | the last day of every month is L
    "* * 1-5W * *" | unexpectedText | 7 | day | “W” cannot stand here in the day field | W follows a single day of the month: 15W
    "* * * * 1W" | unexpectedText | 9 | weekday | “W” cannot stand here in the weekday field | W follows a single day of the month: 15W
    "15W * * * *" | unexpectedText | 2 | minute | “W” cannot stand here in the minute field | W follows a single day of the month: 15W
    "* * * * 5#" | missingValue | 10 | weekday | # wants a number | the second Friday is 5#2, the last 5#L
    "* * * * 5#0" | outOfRange | 10 | weekday | #0 is out of range #1–#5 | a month has at most five of a weekday; the last is #L
    "* * * * 5#6" | outOfRange | 10 | weekday | #6 is out of range #1–#5 | a month has at most five of a weekday; the last is #L
    "* * * * #2" | unexpectedText | 8 | weekday | “#” cannot stand here in the weekday field | # stands between one weekday and a number: 5#2
    "* * 5#2 * *" | misplaced | 5 | day | # is for the weekday field | the second Friday is 5#2 there
    "* * * * 1-5#2" | unexpectedText | 11 | weekday | “#” cannot stand here in the weekday field | # stands between one weekday and a number: 5#2
    "* * * * FRI#X" | missingValue | 12 | weekday | # wants a number | the second Friday is 5#2, the last 5#L
    "? * * * *" | misplaced | 0 | minute | ? is for the day and weekday fields | write *
    "* ? * * *" | misplaced | 2 | hour | ? is for the day and weekday fields | write *
    "* * * ? *" | misplaced | 6 | month | ? is for the day and weekday fields | write *
    "* * ?,5 * *" | misplaced | 4 | day | ? cannot be part of a list | write the other values alone
    "* * ?/2 * *" | unexpectedText | 5 | day | “/” cannot stand here in the day field | a step follows *, a value or a range, once
    "* * 5,? * *" | misplaced | 6 | day | ? cannot be part of a list | write the other values alone
    "H * * * *" | unexpectedText | 0 | minute | “H” cannot stand here in the minute field | hashed and random times are not for expressions; give the job a jitter
    "H/15 * * * *" | unexpectedText | 0 | minute | “H” cannot stand here in the minute field | hashed and random times are not for expressions; give the job a jitter
    "* * * * 1;3" | unexpectedText | 9 | weekday | “;” cannot stand here in the weekday field | values of a list have commas between them
    "0 0 * * é" | unexpectedText | 8 | weekday | “é” cannot stand here in the weekday field | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "0 0 * é *" | unexpectedText | 6 | month | “é” cannot stand here in the month field | write *, a number from 1 to 12, or JAN to DEC
    "0 0 ½ * *" | unexpectedText | 4 | day | “½” cannot stand here in the day field | write *, a number from 1 to 31, L for the last day, or 15W for the workday nearest to the 15th
    "０ * * * *" | unexpectedText | 0 | minute | “０” cannot stand here in the minute field | write *, a number from 0 to 59, a range 1-5, or a step */10
    "0 0 * * 1–5" | unexpectedText | 9 | weekday | “–” cannot stand here in the weekday field | a range is written with a plain hyphen: 1-5
    "0 0 * * “1”" | unexpectedText | 8 | weekday | ““” cannot stand here in the weekday field | write the expression without quotation marks
    ""0 0 * * *"" | unexpectedText | 0 | minute | “"” cannot stand here in the minute field | write the expression without quotation marks
    "0 0 * * * # nightly" | unexpectedText | 10 | none | “#” cannot follow the five fields | an expression has no comments
    "# 0 0 * * *" | unexpectedText | 0 | second | “#” cannot stand here in the second field | an expression has no comments
    "@" | unknownNickname | 0 | none | there is no “@” | there are @yearly, @monthly, @weekly, @daily, @hourly, @every 90m and @reboot
    "@dayly" | unknownNickname | 0 | none | there is no “@dayly” | there are @yearly, @monthly, @weekly, @daily, @hourly, @every 90m and @reboot
    "@weekly 5" | unexpectedText | 8 | none | nothing can follow @weekly | pass the expression alone, without the command
    "@every" | invalidInterval | 6 | none | the interval is missing | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every x" | invalidInterval | 7 | none | the interval cannot be read | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 5" | invalidInterval | 7 | none | the interval cannot be read | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 0s" | invalidInterval | 7 | none | an interval of 0 never moves on | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 1.5h" | invalidInterval | 7 | none | the interval cannot be read | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 1m1h" | invalidInterval | 9 | none | the interval cannot be read | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 1h1h" | invalidInterval | 9 | none | the interval cannot be read | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 5 m" | invalidInterval | 9 | none | nothing can follow the interval | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every -5m" | invalidInterval | 7 | none | the interval cannot be read | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 90m extra" | invalidInterval | 11 | none | nothing can follow the interval | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@every 99999999999d" | invalidInterval | 7 | none | the interval cannot be read | write numbers with units, such as 90m, 1h30m or 2d; a second is the least
    "@daily @daily" | unexpectedText | 7 | none | nothing can follow @daily | pass the expression alone, without the command
    "CRON_TZ=" | unknownZone | 8 | none | the time zone is missing | write an IANA name such as Europe/Riga
    "CRON_TZ=Europe/Riga" | empty | 19 | none | there is no expression | every minute is * * * * *
    "CRON_TZ=Europe/Nowhere 0 0 * * *" | unknownZone | 8 | none | there is no time zone “Europe/Nowhere” | write an IANA name such as Europe/Riga
    "CRON_TZ= 0 0 * * *" | unknownZone | 8 | none | the time zone is missing | write an IANA name such as Europe/Riga
    "TZ=Mars 0 0 * * *" | unknownZone | 3 | none | there is no time zone “Mars” | write an IANA name such as Europe/Riga
    "MAILTO=root 0 0 * * *" | unexpectedText | 0 | none | “MAILTO=” cannot stand before an expression | a time zone is set with CRON_TZ=
    "cron_tz=Europe/Riga 0 0 * * *" | unexpectedText | 0 | none | “cron_tz=” cannot stand before an expression | a time zone is set with CRON_TZ=
    "CRON_TZ=Europe/Riga CRON_TZ=UTC 0 0 * * *" | unexpectedText | 20 | none | “CRON_TZ=” cannot follow the time zone | an expression has one time zone, and nothing else before its fields
    "TZ=UTC  SHELL=/bin/sh 0 0 * * *" | unexpectedText | 8 | none | “SHELL=” cannot follow the time zone | an expression has one time zone, and nothing else before its fields
    "TZ=:UTC 0 0 * * *" | unknownZone | 3 | none | there is no time zone “:UTC” | write UTC
    "0 0 * * * CRON_TZ=UTC" | unexpectedText | 10 | none | “CRON_TZ=UTC” cannot follow the five fields | pass the expression alone, without the command
    "8am * * * *" | unexpectedText | 1 | minute | “a” cannot stand here in the minute field | write *, a number from 0 to 59, a range 1-5, or a step */10
    "0 8pm * * *" | unexpectedText | 3 | hour | “p” cannot stand here in the hour field | hours are written 0 to 23, without a.m. and p.m.
    "0 08:30 * * *" | unexpectedText | 4 | hour | “:” cannot stand here in the hour field | minutes and hours have fields of their own: half past eight is 30 8
    "1.5 * * * *" | unexpectedText | 1 | minute | “.” cannot stand here in the minute field | write *, a number from 0 to 59, a range 1-5, or a step */10
    "0x10 * * * *" | unexpectedText | 1 | minute | “x” cannot stand here in the minute field | write *, a number from 0 to 59, a range 1-5, or a step */10
    "+5 * * * *" | unexpectedText | 0 | minute | “+” cannot stand here in the minute field | write *, a number from 0 to 59, a range 1-5, or a step */10
    "0 12 1 * +MON" | unexpectedText | 9 | weekday | “+” cannot stand here in the weekday field | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "6~15 * * * *" | unexpectedText | 1 | minute | “~” cannot stand here in the minute field | hashed and random times are not for expressions; give the job a jitter
    "0 0 * * mon-" | missingValue | 12 | weekday | a weekday is missing | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "0 0 * * mon-fry" | unknownName | 12 | weekday | “fry” is no weekday | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "0 0 * * SATURDAY-SUNDAY" | unknownName | 8 | weekday | “SATURDAY” is no weekday | write SAT
    "0 0 31 * * 2030" | outOfRange | 4 | hour | hour 31 is out of range 0–23 | hours are written 0 to 23, without a.m. and p.m.
    "0 0 ? * ? ?" | misplaced | 4 | hour | ? is for the day and weekday fields | write *
    "daily" | fieldCount | 0 | none | nicknames begin with @ | write @daily
    "every 5 minutes" | fieldCount | 15 | none | 3 fields where 5, 6 or 7 must be | the five are minute, hour, day, month and weekday; six begin with the second; seven end with the year
    "0 0 1,32 * *" | outOfRange | 6 | day | day 32 is out of range 1–31 | the last day of every month is L
    "0 0 1-40 * *" | outOfRange | 6 | day | day 40 is out of range 1–31 | the last day of every month is L
    "0 0 L-3-5 * *" | unexpectedText | 7 | day | “-” cannot stand here in the day field | a range is two values with - between them: 1-5
    "0 0 LWL * *" | unexpectedText | 6 | day | “L” cannot stand here in the day field | L stands alone or after a weekday: L, 5L
    "0 0 * * 5LL" | unexpectedText | 10 | weekday | “L” cannot stand here in the weekday field | L stands alone or after a weekday: L, 5L
    "0 0 * * FRIL5" | unexpectedText | 12 | weekday | “5” cannot stand here in the weekday field | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "0 0 * * L5" | misplaced | 8 | weekday | L alone says nothing in the weekday field | the last Friday of the month is 5L; Saturday is 6
    "60-5 * * * *" | outOfRange | 0 | minute | minute 60 is out of range 0–59 | the last minute is 59; the next one starts at 0
    "5-60 * * * *" | outOfRange | 2 | minute | minute 60 is out of range 0–59 | the last minute is 59; the next one starts at 0
    "0 0 * * 9#2" | outOfRange | 8 | weekday | weekday 9 is out of range 0–7 | Sunday is 0, 7 or SUN, Saturday is 6 or SAT
    "0 0 * * 8L" | outOfRange | 8 | weekday | weekday 8 is out of range 0–7 | Sunday is 0, 7 or SUN, Saturday is 6 or SAT
    "0 0 0 * * * *-5" | unexpectedText | 13 | year | “-” cannot stand here in the year field | a range is two values with - between them: 1-5
    "0 0 0 1 1 * 2020-" | missingValue | 17 | year | a year is missing | write *, or a year such as 2030
    "0 0 12 * * MONDAY" | unknownName | 11 | weekday | “MONDAY” is no weekday | write MON
    "0 0 12 * * MOM" | unknownName | 11 | weekday | “MOM” is no weekday | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "0 0 12 * * ,1" | missingValue | 11 | weekday | the weekday list has an empty item | remove a comma
    "0 0 12 * * é" | unexpectedText | 11 | weekday | “é” cannot stand here in the weekday field | write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second
    "0 0 12 * * # x" | unexpectedText | 11 | none | “#” cannot follow the five fields | an expression has no comments
    "0 0 12 * * 1 abcd" | unknownName | 13 | year | “abcd” is no year | write *, or a year such as 2030
    "0 0 1 1 * 2030" | outOfRange | 10 | weekday | weekday 2030 is out of range 0–7 | a year is the last of seven fields, which begin with the second
    "1-5/ * * * *" | invalidStep | 4 | minute | a step is missing after / | every second minute is */2
    """#
