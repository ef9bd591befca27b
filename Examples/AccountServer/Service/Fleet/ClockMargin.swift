internal import PasscodeLock
internal import PortcullisCore

extension ThrottlePolicy {
    /// The policy where servers' clocks may differ by so much: each delay is longer by it.
    func judged(with margin: Duration) -> ThrottlePolicy {
        var policy = self
        policy.delays = delays.map { $0 == .zero ? .zero : $0 + margin }
        return policy
    }
}

extension CodePolicy {
    /// The policy where servers' clocks may differ by so much: codes live shorter, pauses are longer.
    func judged(with margin: Duration) -> CodePolicy {
        var policy = self
        policy.validity -= margin
        policy.pause += margin
        policy.pauseOfAll += margin
        return policy
    }
}
