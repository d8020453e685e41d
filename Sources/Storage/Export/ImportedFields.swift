import Primitives
import SQLite

/// The members of one line of an export.
struct ImportedFields {
    let line: Int
    let members: [String: JSONValue]

    /// What the line is about, and its members.
    static func read(_ text: [UInt8], number: Int) throws(StoreError) -> (subject: String, fields: ImportedFields) {
        guard case .object(let outer) = JSONValue(text: text), outer.count == 1, let first = outer.first,
            case .object(let members) = first.value
        else { throw ImportedFields(line: number, members: [:]).fault("is not of an export") }
        return (first.key, ImportedFields(line: number, members: members))
    }

    func fault(_ what: String) -> StoreError {
        StoreError(.notImportable, "Line \(line) of the export \(what).")
    }

    func integer(_ name: String) throws(StoreError) -> Int64 {
        guard case .integer(let value) = members[name] else { throw fault("has no number \(name)") }
        return value
    }

    func string(_ name: String) throws(StoreError) -> String {
        guard case .string(let value) = members[name] else { throw fault("has no text \(name)") }
        return value
    }
}

extension ExportedRows {
    var insert: String {
        let names = columns.map(\.sql) + constants.keys.sorted()
        let values = columns.map { _ in "?" } + constants.keys.sorted().map { "\(constants[$0] ?? 0)" }
        return "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    }

    /// - Returns: false when a member is missing, not what it must be, or unknown; then the statement can't be run.
    func bind(_ fields: ImportedFields, to insert: Statement) throws(SQLiteError) -> Bool {
        var used = 0
        for column in columns {
            if let value = fields.members[column.name.description] {
                guard try bind(value, as: column.kind, to: insert) else { return false }
                used += 1
            } else if column.kind == .bytes {
                // An event that was withdrawn, or whose bytes are no text.
                let digits: JSONValue = fields.members["hex"] ?? ""
                guard case .string(let digits) = digits, let bytes = bytes(hexadecimal: digits) else { return false }
                if !digits.isEmpty { used += 1 }
                try insert.bind(bytes)
            } else {
                guard column.isOptional else { return false }
                try insert.bindNull()
            }
        }
        return used == fields.members.count
    }

    private func bind(_ value: JSONValue, as kind: Kind, to insert: Statement) throws(SQLiteError) -> Bool {
        switch (kind, value) {
        case (.integer, .integer(let value)): try insert.bind(value)
        case (.flag, .bool(let value)): try insert.bind(value)
        case (.text, .string(let value)): try insert.bind(value)
        case (.bytes, .string(let value)): try insert.bind(Array(value.utf8))
        case (.json, let value): try insert.bind(text: value.text)
        case (.id, .string(let value)):
            guard let id = UniqueID(value) else { return false }
            try insert.bind(id)
        default: return false
        }
        return true
    }
}

private func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map(\.hexadecimalDigitValue)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[index], let low = digits[index + 1] else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}
