// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "portcullis-operations",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "portcullis", path: "../.."),
        // Without its traits, which replace the allocator: what is measured here is time and calls.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Operations",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "CronScheduler", package: "portcullis"),
                .product(name: "GcryptKeystore", package: "portcullis"),
                .product(name: "PortcullisCore", package: "portcullis"),
            ],
            path: "Benchmarks/Operations",
            swiftSettings: settings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        )
    ]
)
