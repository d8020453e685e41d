import Glibc
import HTTPServer
import Service

/// What `runcast serve` was told.
struct ServeOptions {
    var service = ServiceConfiguration()
    /// Given, or looked for.
    var publicFolder: String?
    var dataFolder: String?

    /// The defaults.
    init() {
        service.http.port = 8_080
        service.workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
