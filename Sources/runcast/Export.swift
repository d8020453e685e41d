import Storage

/// Writes all that a data directory has to the standard output, as JSON lines.
/// - Returns: the exit status: 0 when all was written, else 1.
func export(_ directory: String) -> Int32 {
    do throws(StoreError) {
        var output = StandardOutput()
        try Store.export(directory) { line throws(StoreError) in try output.append(line) }
        try output.flush()
        return 0
    } catch {
        complain(error.description)
        return 1
    }
}

/// Makes a data directory's database of what ``export(_:)`` wrote, from the standard input.
/// - Returns: the exit status: 0 when all of it is there, 1 when nothing is.
func importLines(into directory: String) -> Int32 {
    do throws(StoreError) {
        var input = StandardInput()
        let count = try Store.importLines(into: try DataDirectory(directory)) { () throws(StoreError) in
            try input.readLine()
        }
        say("imported \(count) lines into \(directory)")
        return 0
    } catch {
        complain(error.description)
        return 1
    }
}
