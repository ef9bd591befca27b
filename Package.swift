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

/// A target under `Sources/`: features do not depend on each other, nor on a plugin.
func source(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A target under `Plugins/`: one folder, one adapter.
func plugin(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Plugins/\(name)",
        resources: resources,
        swiftSettings: settings
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// A product that only the transport of that name takes.
func asyncHTTP(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["AsyncHTTPTransport"]))
}

/// A product of swift-crypto, which the trait of that name takes.
func passkeys(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-crypto", condition: .when(traits: ["Passkeys"]))
}

/// A product that only the gate for Hummingbird apps takes.
func web(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["HummingbirdLock"]))
}

/// A product that only the store on etcd takes.
func etcd(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["EtcdStore"]))
}

/// The commit that the tool tells with its version, as `make tool` and `make install` pass it.
let commit = (Context.environment["PORTCULLIS_COMMIT"] ?? "").filter {
    $0.isLetter || $0.isNumber || $0 == "-"
}

let package = Package(
    name: "portcullis",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "PortcullisCore", targets: ["PortcullisCore"]),
        .library(name: "AdapterKit", targets: ["AdapterKit"]),
        .library(name: "LockScreens", targets: ["LockScreens"]),
        .library(name: "PasscodeLock", targets: ["PasscodeLock"]),
        .library(name: "GoalLock", targets: ["GoalLock"]),
        .library(name: "PortcullisTesting", targets: ["PortcullisTesting"]),
        .library(name: "GcryptKeystore", targets: ["GcryptKeystore"]),
        .library(name: "SealingStore", targets: ["SealingStore"]),
        .library(name: "EtcdStore", targets: ["EtcdStore"]),
        .library(name: "FakeBiometrics", targets: ["FakeBiometrics"]),
        .library(name: "ConsoleNotifier", targets: ["ConsoleNotifier"]),
        .library(name: "HTTPPasscodeAccount", targets: ["HTTPPasscodeAccount"]),
        .library(name: "CronScheduler", targets: ["CronScheduler"]),
        .library(name: "Passkeys", targets: ["Passkeys"]),
        .library(name: "ProcessShield", targets: ["ProcessShield"]),
        .library(name: "ProgressSources", targets: ["ProgressSources"]),
        .library(name: "SealedSession", targets: ["SealedSession"]),
        .library(name: "SystemClock", targets: ["SystemClock"]),
        .library(name: "TPM", targets: ["TPM"]),
        .library(name: "TerminalHost", targets: ["TerminalHost"]),
        .library(name: "TerminalScreens", targets: ["TerminalScreens"]),
        .library(name: "WebScreens", targets: ["WebScreens"]),
        .library(name: "HummingbirdLock", targets: ["HummingbirdLock"]),
        .executable(name: "portcullis", targets: ["portcullis"]),
    ],
    // Each brings packages that are not fetched without it.
    traits: [
        .trait(
            name: "AsyncHTTPTransport",
            description:
                "Sends the requests of HTTPPasscodeAccount with async-http-client, as Linux needs it."
        ),
        .trait(
            name: "Passkeys",
            description: "Unlocks in a browser with a passkey, verified with swift-crypto."
        ),
        .trait(name: "HummingbirdLock", description: "Puts apps made with Hummingbird behind the lock."),
        .trait(
            name: "EtcdStore",
            description: "Keeps secrets on an etcd cluster, which EtcdStore talks to with grpc-swift."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.86.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.36.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.34.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        source("PortcullisCore"),
        source("AdapterKit", ["PortcullisCore"]),
        source("LockScreens", ["PortcullisCore"]),
        source("PasscodeLock", ["AdapterKit", "LockScreens", "PortcullisCore"]),
        source("GoalLock", ["AdapterKit", "LockScreens", "PortcullisCore"]),
        source("PortcullisTesting", ["AdapterKit", "PortcullisCore"]),
        .executableTarget(
            name: "portcullis",
            dependencies: [
                "PortcullisCore", "AdapterKit", "GoalLock", "LockScreens", "PasscodeLock",
                "ConsoleNotifier", "CronScheduler", "GcryptKeystore", "ProcessShield", "ProgressSources",
                "SealedSession", "SystemClock", "TPM", "TerminalHost", "TerminalScreens", "Gcrypt",
                "LinuxSystem", "CBuild", "CLinux", "CommandCompletion",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // Writes the tool's manual pages for `make install`; part of no product.
        .executableTarget(name: "ManPages", swiftSettings: settings),
        .target(
            name: "CBuild",
            cSettings: commit.isEmpty ? [] : [.define("PORTCULLIS_COMMIT", to: "\"\(commit)\"")]
        ),

        .systemLibrary(
            name: "CGcrypt",
            path: "Plugins/CGcrypt",
            pkgConfig: "libgcrypt",
            providers: [.apt(["libgcrypt20-dev"]), .brew(["libgcrypt"])]
        ),
        .target(name: "CLinux", path: "Plugins/CLinux"),
        plugin("LinuxSystem", ["PortcullisCore", "CLinux"]),
        plugin("ZoneFiles", ["AdapterKit", "PortcullisCore", "LinuxSystem", "CLinux"]),
        plugin("Gcrypt", ["AdapterKit", "PortcullisCore", "CGcrypt"]),
        plugin("GcryptKeystore", ["AdapterKit", "PortcullisCore", "Gcrypt", "LinuxSystem", "CLinux"]),
        .target(
            name: "CTSS",
            path: "Plugins/CTSS",
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
        ),
        plugin("TPM", ["AdapterKit", "PortcullisCore", "Gcrypt", "LinuxSystem", "CTSS"]),
        plugin("SealingStore", ["AdapterKit", "PortcullisCore", "Gcrypt", "LinuxSystem"]),
        .target(
            name: "EtcdStore",
            dependencies: [
                "AdapterKit", "PortcullisCore",
                etcd("GRPCCore", "grpc-swift-2"),
                etcd("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport"),
                etcd("GRPCProtobuf", "grpc-swift-protobuf"),
                etcd("NIOCore", "swift-nio"), etcd("NIOHTTP2", "swift-nio-http2"),
                etcd("SwiftProtobuf", "swift-protobuf"),
            ],
            path: "Plugins/EtcdStore",
            exclude: ["Messages/etcd.proto"],
            swiftSettings: settings
        ),
        plugin(
            "CommandCompletion",
            ["PortcullisCore", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),
        plugin("FakeBiometrics", ["PortcullisCore"]),
        plugin("ConsoleNotifier", ["AdapterKit", "PortcullisCore", "LinuxSystem"]),
        plugin(
            "HTTPPasscodeAccount",
            [
                "AdapterKit", "PortcullisCore",
                asyncHTTP("AsyncHTTPClient", "async-http-client"),
                asyncHTTP("NIOCore", "swift-nio"), asyncHTTP("NIOHTTP1", "swift-nio"),
                asyncHTTP("NIOSSL", "swift-nio-ssl"),
            ]
        ),
        plugin(
            "CronScheduler",
            [
                "AdapterKit", "PortcullisCore", "ZoneFiles",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        plugin("Passkeys", ["AdapterKit", "PortcullisCore", passkeys("Crypto"), passkeys("CryptoExtras")]),
        plugin("ProcessShield", ["AdapterKit", "PortcullisCore", "LinuxSystem", "CLinux"]),
        plugin("ProgressSources", ["AdapterKit", "PortcullisCore", "LinuxSystem", "CLinux"]),
        plugin("SealedSession", ["AdapterKit", "PortcullisCore", "LinuxSystem", "CLinux"]),
        plugin("SystemClock", ["AdapterKit", "PortcullisCore", "LinuxSystem", "ZoneFiles", "CLinux"]),
        plugin("TerminalScreens", ["PortcullisCore", "GoalLock", "LockScreens"]),
        plugin(
            "WebScreens",
            ["PortcullisCore", "LockScreens"],
            resources: [
                .embedInCode("Assets/lock.js"), .embedInCode("Assets/style.css"),
                .embedInCode("Assets/symbol.svg"),
            ]
        ),
        plugin(
            "HummingbirdLock",
            [
                "AdapterKit", "PortcullisCore", "LockScreens", "PasscodeLock", "WebScreens", "Passkeys",
                web("Hummingbird", "hummingbird"), web("HTTPTypes", "swift-http-types"),
                web("NIOCore", "swift-nio"), web("ServiceLifecycle", "swift-service-lifecycle"),
            ]
        ),
        plugin(
            "TerminalHost",
            [
                "AdapterKit", "PortcullisCore", "LockScreens", "PasscodeLock", "TerminalScreens",
                "LinuxSystem", "CLinux",
            ]
        ),

        tests("PortcullisCoreTests", ["AdapterKit", "PortcullisCore", "PortcullisTesting"]),
        tests("AdapterKitTests", ["AdapterKit", "PortcullisCore", "PortcullisTesting"]),
        tests("LockScreensTests", ["LockScreens", "PortcullisCore", "PortcullisTesting"]),
        tests(
            "PasscodeLockTests",
            [
                "AdapterKit", "FakeBiometrics", "LockScreens", "PasscodeLock", "PortcullisCore",
                "PortcullisTesting",
            ]
        ),
        tests(
            "GoalLockTests",
            ["AdapterKit", "GoalLock", "LockScreens", "PortcullisCore", "PortcullisTesting"]
        ),
        tests(
            "PortcullisTestingTests",
            ["AdapterKit", "PortcullisTesting", "PortcullisCore"],
            resources: [.copy("Transcripts/Recorded")]
        ),
        // A process that uses a store, for a test that looks at its memory; part of no product.
        .executableTarget(
            name: "KeystoreProcess",
            dependencies: ["GcryptKeystore", "PortcullisCore"],
            path: "Tests/KeystoreProcess",
            swiftSettings: settings
        ),
        tests("ManPagesTests", ["ManPages"]),
        tests(
            "LinuxSystemTests",
            ["LinuxSystem", "CLinux", "AdapterKit", "PortcullisCore", "PortcullisTesting"]
        ),
        tests(
            "ZoneFilesTests",
            [
                "ZoneFiles", "AdapterKit", "CronScheduler", "PortcullisCore", "PortcullisTesting",
                "SystemClock",
            ],
            resources: [.copy("Rules")]
        ),
        tests("GcryptTests", ["Gcrypt", "PortcullisCore"]),
        tests(
            "GcryptKeystoreTests",
            [
                "GcryptKeystore", "KeystoreProcess", "CGcrypt", "Gcrypt", "LinuxSystem", "AdapterKit",
                "PortcullisCore", "PortcullisTesting",
            ],
            resources: [.copy("Format/Fixtures"), .copy("Format/decode.py")]
        ),
        tests(
            "SealingStoreTests",
            ["SealingStore", "Gcrypt", "GcryptKeystore", "PortcullisCore", "PortcullisTesting"]
        ),
        tests(
            "EtcdStoreTests",
            [
                "EtcdStore", "ProcessEnd", "SealingStore", "PortcullisCore", "PortcullisTesting",
                etcd("GRPCCore", "grpc-swift-2"),
                etcd("GRPCNIOTransportHTTP2", "grpc-swift-nio-transport"),
                etcd("GRPCProtobuf", "grpc-swift-protobuf"), etcd("SwiftProtobuf", "swift-protobuf"),
            ]
        ),
        tests("FakeBiometricsTests", ["FakeBiometrics", "PortcullisCore", "PortcullisTesting"]),
        tests(
            "ConsoleNotifierTests",
            ["AdapterKit", "ConsoleNotifier", "PortcullisCore", "PortcullisTesting"]
        ),
        tests(
            "HTTPPasscodeAccountTests",
            [
                "HTTPPasscodeAccount", "PortcullisCore", "PortcullisTesting",
                asyncHTTP("NIOCore", "swift-nio"), asyncHTTP("NIOPosix", "swift-nio"),
                asyncHTTP("NIOSSL", "swift-nio-ssl"),
            ]
        ),
        tests(
            "CronSchedulerTests",
            ["CronScheduler", "AdapterKit", "PortcullisCore", "PortcullisTesting", "SystemClock"],
            resources: [.copy("Resources/cron-sample.json")]
        ),
        tests(
            "PasskeysTests",
            [
                "Passkeys", "WebBrowser", "AdapterKit", "PasscodeLock", "PortcullisCore", "PortcullisTesting",
                passkeys("Crypto"),
            ],
            resources: [.copy("Vectors/webauthn-level-3.json")]
        ),
        // A process that shields, for tests that kill it; part of no product.
        .executableTarget(
            name: "ShieldProcess",
            dependencies: ["ProcessShield", "PortcullisCore", "GcryptKeystore"],
            path: "Tests/ShieldProcess",
            swiftSettings: settings
        ),
        .executableTarget(name: "PidHopper", path: "Tests/PidHopper"),
        tests(
            "ProcessShieldTests",
            [
                "AdapterKit", "LinuxSystem", "ProcessShield", "ShieldProcess", "PidHopper", "PortcullisCore",
                "PortcullisTesting",
                "GcryptKeystore", "SilentMount",
            ]
        ),
        // A file system of tests that does not answer; part of no product.
        .target(name: "SilentMount", path: "Tests/SilentMount", swiftSettings: settings),
        // Ends processes of tests; part of no product.
        .target(name: "ProcessEnd", path: "Tests/ProcessEnd", swiftSettings: settings),
        // Software TPMs that tests start, kill and listen to; part of no product.
        .target(
            name: "SoftwareTPM",
            dependencies: ["ProcessEnd"],
            path: "Tests/SoftwareTPM",
            swiftSettings: settings
        ),
        tests(
            "TPMTests",
            [
                "TPM", "SoftwareTPM", "AdapterKit", "Gcrypt", "GcryptKeystore", "PasscodeLock",
                "PortcullisCore",
                "PortcullisTesting",
            ]
        ),
        tests(
            "ProgressSourcesTests",
            ["LinuxSystem", "CLinux", "PortcullisCore", "PortcullisTesting", "ProcessEnd", "ProgressSources"]
        ),
        tests(
            "SealedSessionTests",
            ["SealedSession", "LinuxSystem", "PortcullisCore", "PortcullisTesting"]
        ),
        tests(
            "SystemClockTests",
            ["SystemClock", "LinuxSystem", "CLinux", "AdapterKit", "PortcullisCore", "PortcullisTesting"]
        ),
        // A small terminal that the tests look at; part of no product.
        .target(name: "TerminalEmulator", path: "Tests/TerminalEmulator", swiftSettings: settings),
        tests(
            "TerminalScreensTests",
            [
                "TerminalScreens", "TerminalEmulator", "GoalLock", "LockScreens", "PasscodeLock",
                "PortcullisCore", "PortcullisTesting",
            ]
        ),
        // A headless browser that the tests drive; part of no product.
        .target(
            name: "WebBrowser",
            dependencies: ["ProcessEnd"],
            path: "Tests/WebBrowser",
            swiftSettings: settings
        ),
        tests(
            "WebScreensTests",
            [
                "WebScreens", "WebBrowser", "GoalLock", "LockScreens", "PasscodeLock", "PortcullisCore",
                "PortcullisTesting",
            ],
            resources: [.copy("Approved")]
        ),
        tests(
            "HummingbirdLockTests",
            [
                "HummingbirdLock", "FakeBiometrics", "WebBrowser", "LockScreens", "PasscodeLock",
                "PortcullisCore",
                "PortcullisTesting",
                "Passkeys", "WebScreens",
                web("Hummingbird", "hummingbird"), web("HummingbirdTesting", "hummingbird"),
                web("HTTPTypes", "swift-http-types"), web("NIOCore", "swift-nio"),
            ],
            resources: [.copy("Described")]
        ),
        tests(
            "TerminalHostTests",
            [
                "TerminalHost", "TerminalEmulator", "TerminalScreens", "LockScreens", "PasscodeLock",
                "PortcullisCore", "PortcullisTesting", "SystemClock", "LinuxSystem", "CLinux",
            ]
        ),
        tests(
            "GuideTests",
            [
                "LockScreens", "PasscodeLock", "GoalLock", "PortcullisCore", "PortcullisTesting",
                "GcryptKeystore", "HTTPPasscodeAccount", "FakeBiometrics", "ConsoleNotifier", "CronScheduler",
                "ProcessShield", "ProgressSources", "SealedSession", "SystemClock", "TPM", "TerminalHost",
                "TerminalScreens", "WebScreens", "AdapterKit", "CLinux", "HummingbirdLock", "Passkeys",
                web("Hummingbird", "hummingbird"), web("HummingbirdTesting", "hummingbird"),
                web("HTTPTypes", "swift-http-types"), web("NIOCore", "swift-nio"),
            ]
        ),
        // The README's first example; part of no product.
        .executableTarget(
            name: "ReadmeProgram",
            dependencies: ["GcryptKeystore", "PasscodeLock", "PortcullisCore", "SystemClock"],
            path: "Tests/ReadmeProgram",
            swiftSettings: settings
        ),
        tests(
            "Scenarios",
            [
                "ReadmeProgram", "LockScreens", "PasscodeLock", "GoalLock", "PortcullisCore",
                "PortcullisTesting", "GcryptKeystore", "FakeBiometrics", "ConsoleNotifier", "CronScheduler",
                "ProcessShield",
                "SystemClock",
            ]
        ),
        tests(
            "ToolTests",
            [
                "portcullis", "ManPages", "Gcrypt", "GcryptKeystore", "GoalLock", "LockScreens",
                "PasscodeLock", "PortcullisCore", "PortcullisTesting", "ProcessShield", "ProgressSources",
                "SealedSession", "SystemClock", "TerminalHost", "TerminalScreens", "LinuxSystem", "CLinux",
                "TerminalEmulator", "TPM", "SoftwareTPM", "SilentMount",
            ]
        ),
    ]
)

// For `make fuzz` only: these programs link with nothing but `-sanitize=fuzzer`.
if Context.environment["PORTCULLIS_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "KeystoreFuzz",
            dependencies: ["CFuzzer", "Gcrypt", "GcryptKeystore", "LinuxSystem", "PortcullisCore"],
            path: "Tests/Fuzz/KeystoreFuzz",
            exclude: ["Seeds"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "CronFuzz",
            dependencies: ["CFuzzer", "CronScheduler"],
            path: "Tests/Fuzz/CronFuzz",
            exclude: ["Seeds"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ZoneFuzz",
            dependencies: ["CFuzzer", "AdapterKit", "PortcullisCore"],
            path: "Tests/Fuzz/ZoneFuzz",
            exclude: ["Seeds"],
            swiftSettings: settings
        ),
    ]
}
