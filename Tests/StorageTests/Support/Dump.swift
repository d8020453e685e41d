import SQLite

/// All that a database has, row by row, but for what differs from directory to directory.
func dump(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, mode: .readOnly, busyTimeout: 1_000)
    try connection.setCheckpointsOnClose(false)
    try connection.execute("BEGIN")
    var lines: [String] = []
    let tables = try connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    while try tables.step() {
        let table = tables.text(0)
        let names = try connection.prepare("SELECT name FROM pragma_table_info(?) ORDER BY cid")
        try names.bind(table)
        var columns: [String] = []
        while try names.step() { columns.append("quote(\"\(names.text(0))\")") }
        columns.removeAll { $0.contains("epoch") }
        let rows = try connection.prepare("SELECT \(columns.joined(separator: " || ' ' || ")) FROM \(table) ORDER BY 1")
        while try rows.step() { lines.append("\(table) \(rows.text(0))") }
    }
    return lines
}

/// Bytes of the pages that hold something.
func usedBytes(_ path: String) throws -> Int {
    let connection = try Connection(path: path, mode: .readOnly, busyTimeout: 1_000)
    let values = try ["page_count", "freelist_count", "page_size"].map { name in
        let pragma = try connection.prepare("PRAGMA \(name)")
        _ = try pragma.step()
        return Int(pragma.integer(0))
    }
    return (values[0] - values[1]) * values[2]
}
