import GcryptKeystore
import PasscodeLock
import PortcullisCore
import SystemClock

let store = try await GcryptKeystore.open(
    KeystoreConfiguration(path: "ledger/app.keystore", credential: .keyFile("ledger/app.key"))
)
let lock = try PasscodeService(
    user: .device,
    backends: Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: SystemClock()),
    session: FixedSession(),  // an app without accounts; yours says who is signed in
    configuration: PasscodeConfiguration(appName: "Ledger")
)
let typed = SecretBytes(copying: "834912".utf8)  // in an app: from a screen, digit by digit
if try await !lock.status().isSet { _ = try await lock.set(typed) }
switch try await lock.verify(typed) {
case .right(let proof): print("open:", proof.key?.count ?? 0, "bytes that only this passcode gives back")
case .wrong(let failures, _): print("wrong, \(failures) in a row")
case .throttled(let wait): print("try again in \(wait)")
case .limitReached, .triesExhausted, .notSet: print("nothing to open")
}
