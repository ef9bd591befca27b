/// A hash that is the same in every process. It uses the steps of FNV-1a with 64 bits (Fowler, Noll, Vo; RFC
/// 9923). A text is hashed byte by byte, and a number as a whole word.
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ text: String) {
        for byte in text.utf8 { combine(byte: byte) }
        // The byte 0xFF, which no UTF-8 text contains, marks the end of the text. Without it, the texts “ab”
        // and “c” would have the same hash as “a” and “bc”.
        combine(byte: 0xFF)
    }

    mutating func combine(_ number: some FixedWidthInteger) {
        value = (value ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01B3
        // A multiplication moves the information of a bit only to higher bits. So the shift moves the word's
        // high bits down to the low ones.
        value ^= value >> 32
    }

    private mutating func combine(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

extension CronExpression.Rule {
    /// A number that identifies the rule and its zone. It is the same in every process.
    func digest(zone: String?) -> UInt64 {
        var hash = StableHash()
        hash.combine(zone ?? "")
        switch self {
        case .fields(let sets):
            hash.combine(sets.seconds)
            hash.combine(sets.minutes)
            hash.combine(sets.hours)
            hash.combine(sets.days)
            hash.combine(sets.months)
            hash.combine(sets.weekdays)
            hash.combine(sets.isEitherDay ? 1 : 0)
            if let rare = sets.rare?.sets {
                hash.combine(rare.fromLast)
                hash.combine(rare.nearest)
                hash.combine(rare.nearestFromLast)
                hash.combine(rare.ordinals)
                hash.combine(rare.lastWeekdays)
                for years in rare.years ?? [] {
                    hash.combine(years.first)
                    hash.combine(years.last)
                    hash.combine(years.step)
                }
            }
        case .every(let seconds): hash.combine(seconds)
        case .reboot: hash.combine("@reboot")
        }
        return hash.value
    }
}
