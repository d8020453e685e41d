// swift-tools-version: 6.2
import PackageDescription

// The order of the targets is the direction of the dependencies: each target
// may import only targets that stand above it.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// For the targets that touch C or raw memory: each use is marked `unsafe`.
let strictMemory: [SwiftSetting] = strict + [.strictMemorySafety()]

let package = Package(
    name: "runcast",
    products: [
        .executable(name: "runcast", targets: ["runcast"])
    ],
    targets: [
        // The vocabulary everything else shares.
        .target(name: "CLinux"),
        .target(name: "Primitives", dependencies: ["CLinux"], swiftSettings: strictMemory),

        // Topics, subscriptions and events. Pure: no HTTP, no C, no Foundation.
        .target(name: "Hub", dependencies: ["Primitives"], swiftSettings: strict),

        // Text compressed once for many receivers. Pure: no sockets, no topics.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Compression", dependencies: ["CZlib"], swiftSettings: strictMemory),

        // Writes what the hub publishes to many sockets.
        .target(
            name: "FanOut", dependencies: ["Hub", "Compression", "CLinux", "Primitives"], swiftSettings: strictMemory),

        // Jobs, runs and the acceptance rule. Pure core: no HTTP, no C, no Foundation.
        .target(name: "Jobs", dependencies: ["Primitives"], swiftSettings: strict),

        // A thin wrapper of the system's SQLite. Knows nothing of jobs and topics.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: strictMemory),

        // The data directory: jobs and events that survive the process.
        .target(
            name: "Storage", dependencies: ["SQLite", "Jobs", "Hub", "Primitives"], swiftSettings: strictMemory),

        // The built-in kinds of jobs.
        .target(name: "CSquareRoots"),
        .target(
            name: "Computations", dependencies: ["Jobs", "CSquareRoots", "Primitives"],
            swiftSettings: strictMemory),

        // The built-in sources of topics.
        .target(name: "EventSources", dependencies: ["Hub", "Primitives"], swiftSettings: strict),

        // HTTP/1.1 over libmicrohttpd. No C type in its public signatures.
        .systemLibrary(
            name: "CLibmicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .target(name: "CMicrohttpd", dependencies: ["CLibmicrohttpd"]),
        .target(
            name: "HTTPServer", dependencies: ["CMicrohttpd", "Primitives"],
            swiftSettings: strictMemory),

        // The routes: the only place that knows all of the above.
        .target(
            name: "Service",
            dependencies: [
                "HTTPServer", "FanOut", "Storage", "Hub", "Jobs", "Computations", "EventSources", "Primitives",
            ],
            swiftSettings: strict),

        .executableTarget(
            name: "runcast", dependencies: ["Service", "HTTPServer", "Storage", "Hub", "Jobs", "FanOut", "Primitives"],
            swiftSettings: strictMemory),

        // A manual clock, a reader of gzip and the like, shared by the tests.
        .target(
            name: "TestSupport", dependencies: ["CZlib", "Primitives"], path: "Tests/TestSupport",
            swiftSettings: strictMemory),
        .testTarget(
            name: "PrimitivesTests", dependencies: ["Primitives", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "HubTests", dependencies: ["Hub", "Primitives", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "CompressionTests", dependencies: ["Compression", "TestSupport"],
            swiftSettings: strictMemory),
        .testTarget(
            name: "FanOutTests", dependencies: ["FanOut", "Hub", "Primitives", "TestSupport"],
            swiftSettings: strictMemory),
        .testTarget(
            name: "JobsTests", dependencies: ["Jobs", "CLinux", "Primitives", "TestSupport"], swiftSettings: strict),
        // A disk that fails when a test says so.
        .target(name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: strictMemory),
        .testTarget(
            name: "StorageTests",
            dependencies: ["Storage", "SQLite", "CFaultyDisk", "Jobs", "Hub", "Primitives", "TestSupport"],
            swiftSettings: strictMemory),
        .testTarget(
            name: "ComputationsTests", dependencies: ["Computations", "Jobs", "Primitives", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EventSourcesTests", dependencies: ["EventSources", "Hub", "Primitives", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "Primitives", "TestSupport"],
            swiftSettings: strictMemory),
        .testTarget(
            name: "ServiceTests",
            dependencies: ["Service", "HTTPServer", "FanOut", "Hub", "Jobs", "Primitives", "TestSupport"],
            swiftSettings: strict),
    ]
)
