import PortcullisCore
import Testing

@Suite("Durations as a person types them")
struct DurationShorthandTests {
    @Test(
        "numbers with units, or seconds alone",
        arguments: [
            ("15m", .seconds(900)), ("10s", .seconds(10)), ("1h30m", .seconds(5_400)),
            ("250ms", .milliseconds(250)),
            ("90", .seconds(90)), ("2d", .seconds(172_800)), ("5min", .seconds(300)), ("0s", .zero),
            ("1m1m", .seconds(120)), ("", nil), ("m", nil), ("1x", nil), ("1h30", nil), ("-1s", nil),
            ("1 m", nil),
            ("1000001s", nil), ("٣s", nil),
        ] as [(String, Duration?)]
    )
    func text(_ text: String, _ duration: Duration?) {
        #expect(Duration(shorthand: text) == duration)
    }
}
