import Primitives
import SQLite

/// How the rows of a table become lines, and lines become rows.
///
/// A table's columns are listed once, as what their values are; both directions follow that list.
struct ExportedRows {
    enum Kind {
        case integer, text, id, json, flag
        /// Text if it is UTF-8, else hexadecimal digits under the name `hex`.
        case bytes
    }

    struct Column {
        let name: StaticString
        /// Where it differs from the name.
        let sql: String
        let kind: Kind
        let isOptional: Bool

        init(_ name: StaticString, _ kind: Kind, _ sql: String? = nil, optional isOptional: Bool = false) {
            (self.name, self.kind, self.sql) = (name, kind, sql ?? name.description)
            self.isOptional = isOptional
        }
    }

    /// What a line is about.
    let subject: StaticString
    let table: String
    let columns: [Column]
    /// Behind the table's name: what is left out, and the order.
    let clauses: String
    /// What the select has in place of a column.
    var replacements: [String: String] = [:]
    /// Columns that are not exported, and what they are at first.
    var constants: [String: Int64] = [:]

    var select: String {
        let values = columns.map { replacements[$0.sql] ?? $0.sql }.joined(separator: ", ")
        return "SELECT \(values) FROM \(table) \(clauses)"
    }
}

extension ExportedRows {
    /// Whether all that must be there is, as what it must be.
    func isSound(_ row: Statement) -> Bool {
        for (column, index) in zip(columns, (0 as Int32)...) {
            if row.isNull(index) {
                guard column.isOptional else { return false }
                continue
            }
            switch column.kind {
            case .id: if UniqueID(blob: row.bytes(index)) == nil { return false }
            case .json: if JSONValue(text: row.bytes(index)) == nil { return false }
            case .integer, .text, .flag, .bytes: break
            }
        }
        return true
    }

    func write(_ row: Statement, _ json: inout JSONWriter) {
        for (column, index) in zip(columns, (0 as Int32)...) where !row.isNull(index) {
            switch column.kind {
            case .integer: json.member(column.name, Int(row.integer(index)))
            case .flag: json.member(column.name, row.bool(index))
            case .text: json.member(column.name, row.text(index))
            case .id: json.member(column.name, UniqueID(blob: row.bytes(index)))
            case .json: json.member(column.name, JSONValue(text: row.bytes(index)))
            case .bytes:
                let bytes = row.bytes(index)
                if let text = String(validating: bytes, as: UTF8.self) {
                    json.member(column.name, text)
                } else {
                    json.member("hex", hexadecimal(bytes))
                }
            }
        }
    }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
}
