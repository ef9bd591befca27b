extension [RareRules.YearRange] {
    /// The same years in their canonical form: sorted and without overlaps. The form has ranges of
    /// consecutive years, steps over three or more years, and single years.
    var canonical: [RareRules.YearRange] {
        // The canonical form of a single range is known at once. Its years, which may be all years, need not
        // be listed.
        if count == 1, let range = first { return Self.range(range.first, range.lastYear, range.step) }
        var isNamed = [Bool](repeating: false, count: FieldUnit.year.last + 1)
        for range in self {
            for year in stride(from: range.first, through: range.last, by: range.step) {
                isNamed[year] = true
            }
        }
        let years = isNamed.indices.filter { isNamed[$0] }
        var ranges: [RareRules.YearRange] = []
        var place = 0
        while place < years.count {
            var end = place
            if place + 1 < years.count {
                let step = years[place + 1] - years[place]
                while end + 1 < years.count, years[end + 1] - years[end] == step { end += 1 }
                // Two years are a range only if the second directly follows the first.
                if end == place + 1, step > 1 { end = place }
            }
            let step = end > place ? years[place + 1] - years[place] : 1
            ranges += Self.range(years[place], years[end], step)
            place = end + 1
        }
        return ranges
    }

    /// Whether canonical ranges contain every year, as `*` does.
    var coverAll: Bool {
        count == 1 && self[0].step == 1 && self[0].first == FieldUnit.year.first
            && self[0].last == FieldUnit.year.last
    }

    /// The canonical form of the years from `first` to `last` by a step. The steps reach both of these years.
    private static func range(_ first: Int, _ last: Int, _ step: Int) -> [RareRules.YearRange] {
        let single = { (year: Int) in RareRules.YearRange(first: year, last: year, step: 1) }
        if first == last { return [single(first)] }
        if step > 1, first + step == last { return [single(first), single(last)] }
        // The text of a range with a step leaves out the end if the end is the field's greatest year. So the
        // greatest year replaces `last` if no further step fits into the field.
        let end = last + step > FieldUnit.year.last ? FieldUnit.year.last : last
        return [RareRules.YearRange(first: first, last: end, step: step)]
    }
}

extension RareRules.YearRange {
    /// The last year that the steps reach.
    fileprivate var lastYear: Int { first + (last - first) / step * step }
}
