import Foundation
import PortcullisCore
import Testing

@testable import step_goal

/// Reads a whole file in pieces of one size.
func samples(_ reader: some StepReader, in bytes: [UInt8], pieces: Int = .max) throws -> [StepSample] {
    var reader = reader
    var found: [StepSample] = []
    var start = 0
    while start < bytes.count {
        let end = start + min(pieces, bytes.count - start)
        try reader.take(bytes.span.extracting(start..<end)) { found.append($0) }
        start = end
    }
    try reader.finish { found.append($0) }
    return found
}

@Suite("Health export")
struct ExportTests {
    private static let march1 = CivilDate(year: 2026, month: 3, day: 1)
    private static let eight = StepSample.Hour(number: 8, offset: 60)

    private static func record(
        _ steps: Int,
        at time: String = "2026-03-01 08:00:00 +0100",
        source: String = "P"
    ) -> String {
        """
        <Record type="HKQuantityTypeIdentifierStepCount" sourceName="\(source)" startDate="\(time)" value="\(steps)"/>
        """
    }

    private static func export(_ content: String) -> String { "<HealthData>\(content)</HealthData>" }

    private func read(_ text: String, pieces: Int = .max) throws -> [StepSample] {
        try samples(HealthExport(), in: Array(text.utf8), pieces: pieces)
    }

    /// An export in Apple's form: a byte order mark, the document type of iOS 16 with an `ATTLIST` that is
    /// never closed, entities, and a child.
    static let apple = """
        \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 12, isn't > closed ]> -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
        <!ATTLIST HealthData
          locale CDATA "]>"
        >
        <!ATTLIST VisionPrescription
          type CDATA #REQUIRED
        <!ELEMENT RightEye EMPTY>
        <!ATTLIST RightEye
          sphere CDATA #IMPLIED
        >
        <?word ]> ?>
        >
        ]>
        <HealthData locale="en_GB">
         <!-- <Record type="HKQuantityTypeIdentifierStepCount" startDate="2026-03-01 08:00:00 +0100" value="9"/> -->
         <ExportDate value='2026-03-02 09:00:00 +0100'/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Zoë&#8217;s &quot;iPhone&quot;" device="a > b &amp; c" \
        startDate="2026-03-01 08:00:00 +0100" value="120"/>
         <Record value = '7' startDate\t=\n'2026-03-01 08:10:00 +0100' sourceName='&#x57;atch'
           type='HKQuantityTypeIdentifierStepCount' >
          <MetadataEntry key="k" value="/>"/>
         </Record >
         <![CDATA[ <Record type="HKQuantityTypeIdentifierStepCount"> ]] ]]]>
         <Correlation type="c">
          <Record type="HKQuantityTypeIdentifierStepCount" startDate="2026-03-01 08:00:00 +0100" value="120"/>
         </Correlation>
         <Record type="HKQuantityTypeIdentifierHeartRate" startDate="2026-03-01 08:00:00 +0100" value="60"/>
        </HealthData>
        <!-- the end --><?really the end?>

        """

    private static let found = [
        StepSample(date: march1, hour: eight, steps: 120, source: "Zoë’s \"iPhone\""),
        StepSample(date: march1, hour: eight, steps: 7, source: "Watch"),
    ]

    @Test("an export as Apple forms it, broken document type included")
    func apple() throws { #expect(try read(Self.apple) == Self.found) }

    @Test("pieces of any length, and a border at every byte, change nothing")
    func pieces() throws {
        let bytes = Array(Self.apple.utf8)
        for size in [1, 2, 3, 7, 64] {
            #expect(try samples(HealthExport(), in: bytes, pieces: size) == Self.found)
        }
        for border in bytes.indices {
            var reader = HealthExport()
            var found: [StepSample] = []
            try reader.take(bytes.span.extracting(..<border)) { found.append($0) }
            try reader.take(bytes.span.extracting(border...)) { found.append($0) }
            try reader.finish { found.append($0) }
            #expect(found == Self.found, "border at byte \(border)")
        }
    }

    @Test("a file that ends at any byte before its last is an error, and a number of steps is never half")
    func cutOff() {
        // The text ends with the root's end, because a cut after that leaves a complete file.
        let bytes = Array(Self.export(Self.record(120) + "<Record><x/></Record>").utf8)
        for end in bytes.indices {
            #expect(throws: StepFileError.self, "cut off at byte \(end)") {
                try samples(HealthExport(), in: Array(bytes[..<end]))
            }
        }
    }

    @Test(
        "what is not well-formed is an error at its byte, whatever the pieces",
        arguments: [
            ("<HealthData><a></b></HealthData>", 15, "an end tag of another element"),
            ("<HealthData></HealthData><a/>", 25, "a second root"),
            ("<HealthData></HealthData></a>", 25, "an end tag of another element"),
            ("<HealthData/>text", 13, "text outside of the root"),
            ("text<HealthData/>", 0, "text outside of the root"),
            ("<HealthData><a b=\"1\" b='2'/></HealthData>", 21, "an attribute that occurs twice"),
            ("<HealthData><a b=\"<\"/></HealthData>", 18, "< inside of a tag"),
            ("<HealthData><a <b/></HealthData>", 15, "< inside of a tag"),
            ("<HealthData><a b/></HealthData>", 15, "an attribute without a value"),
            ("<HealthData><a b=1/></HealthData>", 17, "a value without quotes"),
            ("<HealthData><a b=\"1\"c=\"2\"/></HealthData>", 20, "no space before an attribute"),
            ("<HealthData><a b=\"&no;\"/></HealthData>", 18, "an entity that there is not"),
            ("<HealthData><a b=\"&amp\"/></HealthData>", 18, "an entity that there is not"),
            ("<HealthData><a b=\"&#0;\"/></HealthData>", 18, "an entity that there is not"),
            ("<HealthData><1a/></HealthData>", 13, "a name was expected"),
            ("<HealthData><a/ ></HealthData>", 14, "/ inside of a tag"),
            ("<HealthData></HealthData x>", 24, "something after an end tag's name"),
            ("<HealthData><></HealthData>", 13, "a tag without a name"),
            ("<HealthData><!-- a -- b --></HealthData>", 21, "-- inside of a comment"),
            ("<HealthData><!x></HealthData>", 12, "<! that begins nothing known"),
            ("<HealthData/><!DOCTYPE HealthData>", 13, "a document type after the root"),
            ("<HealthData><a>", 15, "the file ends before its elements do"),
            ("<HealthData><a b=\"", 18, "the file ends inside of markup"),
            ("", 0, "there is no element"),
            ("<!-- -->", 8, "there is no element"),
            (
                """
                <HealthData><Record type="HKQuantityTypeIdentifierStepCount" \
                startDate="2026-03-01 08:00:00 +0100" value="1e308"/></HealthData>
                """, 12, "a step count without a value from 0 to 1000000"
            ),
            ("<html/>", 0, "the root is not HealthData"),
            ("\u{0}<HealthData/>", 0, "the file is not UTF-8"),
        ]
    )
    func faults(text: String, offset: Int, reason: String) {
        for size in [1, 5, Int.max] {
            let error = #expect(throws: StepFileError.self) { try read(text, pieces: size) }
            #expect(error == StepFileError(offset: offset, reason: reason), "in pieces of \(size)")
        }
    }

    @Test("UTF-16 is told as such")
    func utf16() {
        for mark in [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] {
            let error = #expect(throws: StepFileError.self) {
                try samples(HealthExport(), in: mark + [0x3C, 0x00])
            }
            #expect(error?.reason == "the file is not UTF-8")
        }
    }

    @Test(
        "a step count that cannot be counted is an error, not passed by",
        arguments: [
            "startDate=\"2026-03-01\" value=\"1\"", "startDate=\"yesterday\" value=\"1\"", "value=\"1\"",
            "startDate=\"2026-03-01 08:00:00 +0100\"",
            "startDate=\"2026-03-01 08:00:00 +0100\" value=\"many\"",
            "startDate=\"2026-03-01 08:00:00 +0100\" value=\"-1\"",
            "startDate=\"2026-03-01 08:00:00 +0100\" value=\"nan\"",
        ]
    )
    func uncountable(attributes: String) {
        let record = "<Record type=\"HKQuantityTypeIdentifierStepCount\" \(attributes)/>"
        let error = #expect(throws: StepFileError.self) { try read(Self.export(record)) }
        #expect(error?.offset == 12)
    }

    @Test("control characters in a value, which some exports have, do not hide a record")
    func controlCharacters() throws {
        #expect(try read(Self.export(Self.record(5, source: "A\u{0B}B"))).map(\.source) == ["A\u{0B}B"])
    }

    @Test("a record's day is that of its own zone")
    func zones() throws {
        let text = Self.export(
            Self.record(1, at: "2026-03-01 23:30:00 -0800") + Self.record(2, at: "2026-03-02 00:30:00 +1300")
        )
        #expect(try read(text).map(\.date.description) == ["2026-03-01", "2026-03-02"])
        #expect(try read(text).map(\.hour?.offset) == [-480, 780])
    }

    @Test("elements without an end take no memory without an end")
    func depth() {
        let error = #expect(throws: StepFileError.self) {
            try read(Self.export(String(repeating: "<a>", count: 1_001)))
        }
        #expect(error?.reason == "elements are nested too deep")
        let long = #expect(throws: StepFileError.self) {
            try read("<HealthData " + String(repeating: "a", count: 2 << 20))
        }
        #expect(long?.reason == "a tag without an end")
    }
}
