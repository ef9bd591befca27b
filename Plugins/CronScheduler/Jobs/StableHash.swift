/// FNV-1a of 64 bits, which gives the same number in every process (Fowler, Noll, Vo; RFC 9923).
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ text: String) {
        for byte in text.utf8 { combine(byte: byte) }
        // No text ends with it, so that two texts in a row have their border.
        combine(byte: 0xFF)
    }

    mutating func combine(_ number: some FixedWidthInteger) {
        var rest = UInt64(truncatingIfNeeded: number)
        for _ in 0..<8 {
            combine(byte: UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private mutating func combine(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

extension CronExpression.Rule {
    /// A number that stands for the rule and the zone it was given, the same in every process.
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
