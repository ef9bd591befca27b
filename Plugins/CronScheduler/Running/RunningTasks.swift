/// The tasks of runs that have started. Each task has a small number. Once the task has ended, a later task
/// can get its number.
///
/// A task may end before ``note(_:as:)`` adds it. Until that call, the task's number is marked as ended and
/// is not used again.
struct RunningTasks {
    private enum Entry {
        case free
        case starting
        case ended
        case running(Task<Void, Never>)
    }

    private var entries: [Entry] = []
    private var free: [Int] = []

    /// The tasks that were added and have not ended.
    var all: [Task<Void, Never>] {
        entries.compactMap { entry in
            guard case .running(let task) = entry else { return nil }
            return task
        }
    }

    /// Returns numbers for tasks that are about to be made.
    mutating func reserve(_ count: Int) -> [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(count)
        for _ in 0..<count {
            if let number = free.popLast() {
                entries[number] = .starting
                numbers.append(number)
            } else {
                numbers.append(entries.count)
                entries.append(.starting)
            }
        }
        return numbers
    }

    /// Adds a task under the number that was reserved for it. If the task has ended already, its number becomes free.
    mutating func note(_ task: Task<Void, Never>, as number: Int) {
        if case .ended = entries[number] {
            entries[number] = .free
            free.append(number)
        } else {
            entries[number] = .running(task)
        }
    }

    /// Notes that the task of a number has ended.
    mutating func end(_ number: Int) {
        if case .starting = entries[number] {
            entries[number] = .ended
        } else {
            entries[number] = .free
            free.append(number)
        }
    }
}
