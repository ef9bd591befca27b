internal import PortcullisCore
internal import Synchronization

/// A request as the server receives it.
enum AccountRequest: Sendable {
    case status
    case set(SecretBytes, AccountRevision)
    case change(SecretBytes, SecretBytes, AccountRevision)
    case verify(SecretBytes)
    case update(AccountSettingsChange)
    case requestReset
    case reset(SecretBytes, AccountCodeRequest, SecretBytes, AccountRevision)
}

/// The server's reply to a request.
enum AccountReply: Sendable {
    case status(AccountPasscodeStatus)
    case set(AccountSetOutcome)
    case verified(AccountVerifyOutcome)
    case requested(AccountCodeRequest)
    case reset(AccountResetOutcome)
}

extension InMemoryAccountServer {
    /// Carries out a request and returns the reply. Each request is one atomic step, as a database
    /// transaction is.
    func answer(_ request: AccountRequest) throws(PasscodeAccountError) -> AccountReply {
        let now = clock.now.wall
        return try state.withLock { state throws(PasscodeAccountError) in
            switch request {
            case .status:
                return .status(state.status)
            case .set(let new, let revision):
                if revision == state.status.revision { return .set(.set) }
                try check(new, state)
                guard state.passcode == nil else { return .set(.alreadySet) }
                state.replace(new, as: revision)
                return .set(.set)
            case .change(let current, let new, let revision):
                if revision == state.status.revision { return .verified(.right) }
                try check(new, state)
                let outcome = try verify(current, &state, now)
                if outcome == .right { state.replace(new, as: revision) }
                return .verified(outcome)
            case .verify(let passcode):
                try checkFormat(passcode)
                return .verified(try verify(passcode, &state, now))
            case .update(let change):
                return .verified(try update(change, &state, now))
            case .requestReset:
                return .requested(try mail(&state, now))
            case .reset(let code, let request, let new, let revision):
                if revision == state.status.revision { return .reset(.reset) }
                try check(new, state)
                let outcome = redeem(code, of: request, &state, now)
                if outcome == .reset { state.replace(new, as: revision) }
                return .reset(outcome)
            }
        }
    }

    private func check(_ new: SecretBytes, _ state: State) throws(PasscodeAccountError) {
        try checkFormat(new)
        guard state.status.isEnabled else {
            throw PasscodeAccountError(code: .refused, message: "Your administrator has disabled passcodes.")
        }
    }

    private func checkFormat(_ passcode: SecretBytes) throws(PasscodeAccountError) {
        let isFine = passcode.withBytes { bytes in
            bytes.count == 6 && bytes.indices.allSatisfy { (0x30...0x39).contains(bytes[$0]) }
        }
        if !isFine { throw PasscodeAccountError(code: .refused, message: "A passcode has 6 digits.") }
    }

    private func verify(
        _ passcode: SecretBytes,
        _ state: inout State,
        _ now: Duration
    ) throws(PasscodeAccountError) -> AccountVerifyOutcome {
        guard let right = state.passcode else { return .notSet }
        if state.throttle.until > now {
            throw PasscodeAccountError(
                code: .throttled,
                message: "Too many wrong passcodes.",
                retryAfter: state.throttle.until - now
            )
        }
        guard !right.matches(passcode) else {
            state.throttle = (0, .zero)
            return .right
        }
        state.throttle.failures += 1
        let delay = delays.prefix(state.throttle.failures).last ?? .zero
        state.throttle.until = now + delay
        return .wrong(failures: state.throttle.failures, retryAfter: delay)
    }

    private func update(
        _ change: AccountSettingsChange,
        _ state: inout State,
        _ now: Duration
    ) throws(PasscodeAccountError) -> AccountVerifyOutcome {
        switch change {
        case .timeout(let timeout):
            guard timeout.isValid else {
                throw PasscodeAccountError(code: .refused, message: "This is not a timeout.")
            }
            state.status.timeout = timeout
            return .right
        case .switchOff(let current, let revision):
            if revision == state.status.revision { return .right }
            let outcome = try verify(current, &state, now)
            if outcome == .right { state.replace(nil, as: revision) }
            return outcome
        }
    }

    private func mail(
        _ state: inout State,
        _ now: Duration
    ) throws(PasscodeAccountError) -> AccountCodeRequest {
        state.requests.removeAll { now - $0 >= resets.validity }
        if let first = state.requests.first, state.requests.count >= resets.requests {
            throw PasscodeAccountError(
                code: .throttled,
                message: "Too many requests.",
                retryAfter: first + resets.validity - now
            )
        }
        state.requests.append(now)
        let digits = (0..<6).map { _ in UInt8.random(in: 0x30...0x39) }
        let request = AccountCodeRequest.random()
        state.code = Code(request: request, digits: SecretBytes(copying: digits), sent: now)
        return request
    }

    private func redeem(
        _ code: SecretBytes,
        of request: AccountCodeRequest,
        _ state: inout State,
        _ now: Duration
    ) -> AccountResetOutcome {
        guard var sent = state.code, sent.request == request else { return .refused }
        if sent.isUsed || sent.tries >= resets.tries { return .usedUp }
        if now - sent.sent >= resets.validity { return .expired }
        sent.tries += 1
        sent.isUsed = sent.digits.matches(code)
        state.code = sent
        return sent.isUsed ? .reset : .refused
    }
}
