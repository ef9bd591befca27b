internal import PasscodeLock
internal import PortcullisCore

extension ThrottlePolicy {
    /// The policy for servers whose clocks may differ by the margin: each delay is longer by the margin.
    func judged(with margin: Duration) -> ThrottlePolicy {
        var policy = self
        policy.delays = delays.map { $0 == .zero ? .zero : $0 + margin }
        return policy
    }
}

extension CodePolicy {
    /// The policy for servers whose clocks may differ by the margin: codes live shorter, pauses are longer.
    func judged(with margin: Duration) -> CodePolicy {
        var policy = self
        policy.validity -= margin
        policy.pause += margin
        policy.pauseOfAll += margin
        return policy
    }
}
