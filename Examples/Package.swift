// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .treatWarning("ExplicitSendable", as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

func portcullis(_ product: String) -> Target.Dependency {
    .product(name: product, package: "portcullis")
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// An example that is one program. Its folder also has a README and further files, which are excluded.
func example(
    _ name: String,
    in folder: String,
    _ dependencies: [Target.Dependency],
    files: [String] = []
) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: folder,
        exclude: ["README.md"] + files
    )
}

let package = Package(
    name: "portcullis-examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "portcullis",
            path: "..",
            traits: ["AsyncHTTPTransport", "EtcdStore", "HummingbirdLock", "Passkeys"]
        ),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.86.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.17.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
    ],
    targets: [
        .target(
            name: "LineConversation",
            dependencies: [
                portcullis("LockScreens"), portcullis("PasscodeLock"), portcullis("PortcullisCore"),
                portcullis("TerminalHost"), portcullis("TerminalScreens"),
            ],
            path: "LineConversation"
        ),
        .target(name: "ShieldLines", dependencies: [portcullis("PortcullisCore")], path: "ShieldLines"),
        example(
            "hello",
            in: "Hello",
            [
                "LineConversation",
                portcullis("GcryptKeystore"), portcullis("LockScreens"), portcullis("PasscodeLock"),
                portcullis("PortcullisCore"),
                portcullis("SystemClock"),
            ]
        ),
        example(
            "chip-count",
            in: "ChipCount",
            [
                portcullis("GcryptKeystore"), portcullis("PasscodeLock"), portcullis("PortcullisCore"),
                portcullis("SystemClock"), portcullis("TPM"),
            ]
        ),
        example(
            "guarded-diary",
            in: "GuardedDiary",
            [
                portcullis("GcryptKeystore"), portcullis("PasscodeLock"), portcullis("PortcullisCore"),
                portcullis("SystemClock"), portcullis("TerminalHost"),
            ]
        ),
        .executableTarget(
            name: "keystore-notes",
            dependencies: [
                portcullis("GcryptKeystore"), portcullis("PortcullisCore"),
                argumentParser,
            ],
            path: "KeystoreNotes/Program"
        ),
        .testTarget(
            name: "KeystoreNotesTests",
            dependencies: ["keystore-notes", "ExampleSupport"],
            path: "KeystoreNotes/Tests"
        ),
        example(
            "fake-biometric-unlock",
            in: "FakeBiometricUnlock",
            [
                "LineConversation",
                portcullis("FakeBiometrics"), portcullis("GcryptKeystore"), portcullis("LockScreens"),
                portcullis("PasscodeLock"),
                portcullis("PortcullisCore"), portcullis("PortcullisTesting"), portcullis("SystemClock"),
                argumentParser,
            ]
        ),
        example(
            "reminders",
            in: "Reminders",
            [
                portcullis("ConsoleNotifier"), portcullis("CronScheduler"), portcullis("PortcullisCore"),
                portcullis("PortcullisTesting"), portcullis("SystemClock"),
                argumentParser,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            files: ["breathe.txt", "mistakes.txt", "reminders.txt"]
        ),
        .testTarget(
            name: "ReadmeTests",
            dependencies: [
                "hello", "chip-count", "guarded-diary", "keystore-notes", "fake-biometric-unlock",
                "reminders",
                "quiet-hours",
                "swap-adapters", "own-adapter", "step-goal", "audit-trail", "ExampleSupport",
            ],
            path: "Tests/ReadmeTests",
            exclude: ["Programs"]
        ),
        .target(
            name: "Audit",
            dependencies: [
                portcullis("GoalLock"), portcullis("LockScreens"), portcullis("PasscodeLock"),
                portcullis("PortcullisCore"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            path: "AuditTrail/Trail"
        ),
        .executableTarget(
            name: "audit-trail",
            dependencies: [
                "Audit",
                portcullis("GcryptKeystore"), portcullis("LockScreens"), portcullis("PasscodeLock"),
                portcullis("PortcullisCore"),
                portcullis("PortcullisTesting"),
                argumentParser,
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "AuditTrail/Program"
        ),
        .testTarget(
            name: "AuditTrailTests",
            dependencies: [
                "Audit", portcullis("GoalLock"), portcullis("LockScreens"), portcullis("PasscodeLock"),
                portcullis("PortcullisCore"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            path: "AuditTrail/Tests"
        ),
        .target(
            name: "AccountService",
            dependencies: [
                portcullis("LockScreens"), portcullis("PasscodeLock"), portcullis("PortcullisCore"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "AccountServer/Service",
            resources: [.embedInCode("openapi.json")]
        ),
        .executableTarget(
            name: "account-server",
            dependencies: [
                "AccountService",
                portcullis("ConsoleNotifier"), portcullis("EtcdStore"), portcullis("GcryptKeystore"),
                portcullis("PasscodeLock"), portcullis("PortcullisCore"), portcullis("PortcullisTesting"),
                portcullis("SealingStore"), portcullis("SystemClock"),
                argumentParser,
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "AccountServer/Program"
        ),
        .testTarget(
            name: "AccountServerTests",
            dependencies: [
                "AccountService", "account-server", "fleet-check", "ExampleSupport",
                portcullis("EtcdStore"), portcullis("GcryptKeystore"), portcullis("HTTPPasscodeAccount"),
                portcullis("LockScreens"), portcullis("PasscodeLock"),
                portcullis("PortcullisCore"), portcullis("PortcullisTesting"), portcullis("SealingStore"),
                portcullis("SystemClock"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "AccountServer/Tests"
        ),
        // The code that RepairDesk and WebDesk share.
        .target(
            name: "RepairShop",
            dependencies: [
                "AccountService", portcullis("AdapterKit"), portcullis("GcryptKeystore"),
                portcullis("HTTPPasscodeAccount"), portcullis("PasscodeLock"), portcullis("PortcullisCore"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "RepairDesk/Shop"
        ),
        .target(
            name: "WebDeskApp",
            dependencies: [
                "RepairShop",
                portcullis("AdapterKit"), portcullis("GoalLock"), portcullis("HTTPPasscodeAccount"),
                portcullis("HummingbirdLock"),
                portcullis("LockScreens"), portcullis("Passkeys"), portcullis("PasscodeLock"),
                portcullis("PortcullisCore"), portcullis("WebScreens"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "WebDesk/App",
            resources: [.embedInCode("desk.css")]
        ),
        .executableTarget(
            name: "web-desk",
            dependencies: [
                "RepairShop", "WebDeskApp",
                portcullis("ConsoleNotifier"), portcullis("CronScheduler"), portcullis("GcryptKeystore"),
                portcullis("HTTPPasscodeAccount"), portcullis("PortcullisCore"),
                portcullis("PortcullisTesting"), portcullis("SystemClock"),
                argumentParser,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "WebDesk/Program"
        ),
        .testTarget(
            name: "WebDeskTests",
            dependencies: [
                "web-desk", "ExampleSupport", "WebDeskApp",
                portcullis("GoalLock"), portcullis("HTTPPasscodeAccount"), portcullis("Passkeys"),
                portcullis("PasscodeLock"), portcullis("PortcullisCore"), portcullis("PortcullisTesting"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "WebDesk/Tests"
        ),
        .target(name: "FleetChecker", path: "AccountServer/Checker"),
        .executableTarget(
            name: "fleet-check",
            dependencies: ["FleetChecker"],
            path: "AccountServer/CheckerProgram"
        ),
        .testTarget(
            name: "FleetCheckerTests",
            dependencies: ["FleetChecker"],
            path: "AccountServer/CheckerTests"
        ),
        .executableTarget(
            name: "repair-desk",
            dependencies: [
                "RepairShop", portcullis("AdapterKit"),
                portcullis("GcryptKeystore"), portcullis("HTTPPasscodeAccount"), portcullis("LockScreens"),
                portcullis("PasscodeLock"),
                portcullis("PortcullisCore"), portcullis("SystemClock"), portcullis("TerminalHost"),
                portcullis("TerminalScreens"),
                argumentParser,
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "RepairDesk/Program"
        ),
        .testTarget(
            name: "RepairDeskTests",
            dependencies: [
                "repair-desk", "RepairShop", "ExampleSupport", portcullis("HTTPPasscodeAccount"),
                portcullis("LockScreens"), portcullis("PasscodeLock"), portcullis("PortcullisCore"),
                portcullis("PortcullisTesting"), portcullis("TerminalScreens"),
            ],
            path: "RepairDesk/Tests"
        ),
        .target(name: "ExampleSupport", path: "Tests/ExampleSupport"),
        example(
            "own-adapter",
            in: "OwnAdapter",
            [
                portcullis("AdapterKit"), portcullis("HTTPPasscodeAccount"), portcullis("PortcullisCore"),
                portcullis("PortcullisTesting"), portcullis("SealingStore"), portcullis("SystemClock"),
                argumentParser,
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "OwnAdapterTests",
            dependencies: [
                "own-adapter", "ExampleSupport", portcullis("HTTPPasscodeAccount"),
                portcullis("PortcullisCore"), portcullis("PortcullisTesting"), portcullis("SealingStore"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        example(
            "step-goal",
            in: "StepGoal",
            [
                "ShieldLines",
                portcullis("ConsoleNotifier"), portcullis("CronScheduler"), portcullis("GcryptKeystore"),
                portcullis("GoalLock"), portcullis("PortcullisCore"), portcullis("PortcullisTesting"),
                portcullis("ProcessShield"), portcullis("SystemClock"),
                argumentParser,
            ],
            files: ["export.xml", "make-export", "steps.csv"]
        ),
        .testTarget(
            name: "StepGoalTests",
            dependencies: [
                "step-goal", "ExampleSupport", portcullis("PortcullisCore"), portcullis("SystemClock"),
            ]
        ),
        example(
            "quiet-hours",
            in: "QuietHours",
            [
                "ShieldLines",
                portcullis("CronScheduler"), portcullis("GcryptKeystore"), portcullis("PortcullisCore"),
                portcullis("PortcullisTesting"), portcullis("ProcessShield"), portcullis("SystemClock"),
                argumentParser,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "QuietHoursTests",
            dependencies: [
                "quiet-hours", "ExampleSupport", "ShieldLines", portcullis("PortcullisCore"),
                portcullis("PortcullisTesting"), portcullis("SystemClock"),
            ]
        ),
        example(
            "swap-adapters",
            in: "SwapAdapters",
            [
                portcullis("FakeBiometrics"), portcullis("GcryptKeystore"), portcullis("LockScreens"),
                portcullis("PasscodeLock"),
                portcullis("PortcullisCore"), portcullis("PortcullisTesting"), portcullis("SystemClock"),
                argumentParser,
            ]
        ),
        .testTarget(
            name: "SwapAdaptersTests",
            dependencies: [
                "swap-adapters", "ExampleSupport", portcullis("FakeBiometrics"), portcullis("GcryptKeystore"),
                portcullis("PortcullisCore"), portcullis("PortcullisTesting"), portcullis("SystemClock"),
            ]
        ),
    ]
)

// All targets have the same settings.
for target in package.targets { target.swiftSettings = settings }
