import Glibc
import HTTPServer
import Service
import Storage

/// Where jobs and events are kept.
enum StoreKind: String, CaseIterable {
    case sqlite, memory
}

/// What `runcast serve` was told.
struct ServeOptions {
    var service = ServiceConfiguration()
    /// Given, or looked for.
    var publicFolder: String?
    var storeKind = StoreKind.sqlite
    /// Where and how, for `sqlite`.
    var store = StoreConfiguration(directory: "runcast-data")

    /// The defaults.
    init() {
        service.http.port = 8_080
        service.workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
