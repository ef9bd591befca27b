internal import AdapterKit
internal import PortcullisCore

/// A time zone for tests: an offset from UTC and the instants at which it changes.
public struct ManualZone: Hashable, Sendable {
    /// The zone's name, which ``ManualClock/zone`` returns.
    public let name: String
    /// The offset from UTC before the first change.
    public let offset: Duration
    /// The changes of the offset, in order of time.
    public let changes: [Change]

    /// An instant at which the offset changes.
    public struct Change: Hashable, Sendable {
        /// The wall time of the change.
        public let wall: Duration
        /// The offset from UTC after the change.
        public let offset: Duration

        /// Makes a change of the offset at a wall time.
        public init(at wall: Duration, to offset: Duration) {
            self.wall = wall
            self.offset = offset
        }
    }

    /// Makes a zone with these offsets. Fractions of a second are ignored.
    public init(_ name: String, offset: Duration, changes: [Change] = []) {
        self.name = name
        self.offset = offset
        self.changes = changes.sorted { $0.wall < $1.wall }
    }

    /// The zone UTC. Its offset is always zero.
    public static let utc = ManualZone("UTC", offset: .zero)

    func spans() -> [ZoneSpan] {
        let starts = [Int.min] + changes.map { Int($0.wall.components.seconds) }
        let offsets = [offset] + changes.map(\.offset)
        return starts.indices.map { index in
            ZoneSpan(
                start: starts[index],
                end: index + 1 < starts.count ? starts[index + 1] : nil,
                offset: Int(offsets[index].components.seconds)
            )
        }
    }
}
