internal import PersistentStore

extension ColumnValue {
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }

  init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}
