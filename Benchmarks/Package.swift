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

let package = Package(
    name: "portcullis-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "portcullis", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "CronBenchmark",
            dependencies: [
                "CMalloc", "Reporting",
                .product(name: "CronScheduler", package: "portcullis"),
                .product(name: "PortcullisCore", package: "portcullis"),
                .product(name: "PortcullisTesting", package: "portcullis"),
                .product(name: "SystemClock", package: "portcullis"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ShieldBenchmark",
            dependencies: [
                .product(name: "GcryptKeystore", package: "portcullis"),
                .product(name: "PortcullisCore", package: "portcullis"),
                .product(name: "ProcessShield", package: "portcullis"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "KeystoreBenchmark",
            dependencies: [
                "CMalloc", "CGcryptLimit", "Reporting",
                .product(name: "GcryptKeystore", package: "portcullis"),
                .product(name: "PortcullisCore", package: "portcullis"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DriverBenchmark",
            dependencies: [
                "CMalloc",
                .product(name: "PasscodeLock", package: "portcullis"),
                .product(name: "PortcullisCore", package: "portcullis"),
                .product(name: "PortcullisTesting", package: "portcullis"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ChipBenchmark",
            dependencies: [
                "Reporting",
                .product(name: "PasscodeLock", package: "portcullis"),
                .product(name: "PortcullisCore", package: "portcullis"),
                .product(name: "PortcullisTesting", package: "portcullis"),
                .product(name: "SystemClock", package: "portcullis"),
                .product(name: "TPM", package: "portcullis"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "PlotPicture", dependencies: ["Reporting"], swiftSettings: settings),
        .target(name: "Reporting", swiftSettings: settings),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CGcryptLimit"),
    ]
)
