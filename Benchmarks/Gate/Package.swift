// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A package of its own, so that the other benchmarks fetch no server.
let package = Package(
    name: "portcullis-gate",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "portcullis", path: "../..", traits: ["HummingbirdLock"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.86.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.17.0"),
    ],
    targets: [
        .executableTarget(
            name: "GateBenchmark",
            dependencies: [
                .product(name: "HummingbirdLock", package: "portcullis"),
                .product(name: "PasscodeLock", package: "portcullis"),
                .product(name: "PortcullisCore", package: "portcullis"),
                .product(name: "PortcullisTesting", package: "portcullis"),
                .product(name: "SystemClock", package: "portcullis"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        )
    ]
)
