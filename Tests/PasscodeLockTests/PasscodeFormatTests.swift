import PasscodeLock
import PortcullisCore
import Testing

@Suite("Passcode format and strength (P-1, P-8)")
struct PasscodeFormatTests {
    @Test(
        "P-1: a value of the wrong format is named",
        arguments: [
            (PasscodeFormat.standard, "12345", PasscodeFormatViolation.tooShort(minimum: 6)),
            (.standard, "1234567", .tooLong(maximum: 6)),
            (.standard, "", .tooShort(minimum: 6)),
            (.standard, "12a456", .notADigit),
            (.standard, "١٢٣٤٥٦", .notASCII),
            (.standard, "12\n456", .controlCharacter),
            (.digits(4), "12345", .tooLong(maximum: 4)),
            (.variableDigits(4...8), "123", .tooShort(minimum: 4)),
            (.variableDigits(4...8), "123456789", .tooLong(maximum: 8)),
            (.alphanumeric(8...32), "short", .tooShort(minimum: 8)),
            (.alphanumeric(8...32), "pässwörter", .notASCII),
            (.alphanumeric(4...8), "tab\tbed", .controlCharacter),
        ]
    )
    func violations(format: PasscodeFormat, text: String, expected: PasscodeFormatViolation) {
        #expect(format.violation(of: SecretBytes(text)) == expected)
    }

    @Test(
        "P-1: values of the right format are taken",
        arguments: [
            (PasscodeFormat.standard, "123456"), (.digits(4), "0000"), (.digits(12), "123456789012"),
            (.variableDigits(4...12), "1234"), (.variableDigits(4...12), "123456789012"),
            (.alphanumeric(4...64), "a b~"),
        ]
    )
    func fits(format: PasscodeFormat, text: String) {
        #expect(format.violation(of: SecretBytes(text)) == nil)
    }

    @Test("P-1: lengths outside 4 to 12 digits and 4 to 64 characters are no format")
    func impossibleFormats() {
        let impossible: [PasscodeFormat] = [
            .digits(3), .digits(13), .digits(0), .digits(-1), .variableDigits(3...6), .variableDigits(4...13),
            .alphanumeric(1...8), .alphanumeric(4...65),
        ]
        for format in impossible { #expect(!format.isValid, "\(format)") }
        for format: PasscodeFormat in [.standard, .digits(4), .variableDigits(4...12), .alphanumeric(4...64)]
        {
            #expect(format.isValid, "\(format)")
        }
    }

    @Test(
        "P-8: easily guessed passcodes are recognised by form",
        arguments: [
            ("000000", PasscodeWeakness.repeatedCharacter), ("aaaa", .repeatedCharacter),
            ("123456", .run), ("987654", .run), ("890123", .run), ("321098", .run), ("abcdef", .run),
            ("121212", .repeatedGroup), ("123123", .repeatedGroup), ("112233", .repeatedGroup),
            ("1122", .repeatedGroup), ("", .repeatedCharacter), ("7", .repeatedCharacter),
            ("147258", .keypadLine), ("2580", .keypadLine), ("258741", .keypadLine), ("0852", .keypadLine),
            ("147258369", .keypadLine), ("2468", .common),
            ("password", .common), ("159159", .repeatedGroup), ("123321", .common), ("1998", .common),
        ]
    )
    func weak(text: String, expected: PasscodeWeakness) {
        #expect(PasscodeWeakness.of(SecretBytes(text)) == expected)
    }

    @Test(
        "P-8: frequent ones of a short group need no list",
        arguments: [
            "1313", "6969", "1212", "101010", "420420", "520520", "007007", "911911", "696969", "20002000",
            "19841984",
            "11223344",
        ]
    )
    func frequentGroups(text: String) {
        #expect(PasscodeWeakness.of(SecretBytes(text)) == .repeatedGroup)
    }

    @Test(
        "P-8: others are not",
        arguments: [
            "834912", "270954", "6173", "correct horse", "918273645", "5>=<", "1124", ":123", "321:", "1357",
            "11223", "17", "112244",
        ]
    )
    func strong(text: String) {
        #expect(PasscodeWeakness.of(SecretBytes(text)) == nil)
    }
}
