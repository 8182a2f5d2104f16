internal import PersistentStore
internal import SQLiteDatabase

/// Replaces the values in the statements of a store's schema, as they are replaced in its rows.
///
/// Names stay, and so do texts that are names: Core Data's triggers have those of entities and attributes. Comments are
/// left out. The statements that follow from the model stay, as the model does.
struct RedactedSQL {
  private let redactor: Redactor
  private let modelStatements: Set<String>
  /// The names of tables, columns, types and all else in the schema.
  private var names: Set<[UInt8]> = []
  /// These, as a text.
  private(set) var text = Array("table index view trigger sqlite autoindex".utf8)

  /// Reads the names of a schema.
  init(_ connection: Connection, _ redactor: Redactor, modelStatements: Set<String>) throws(SQLiteError) {
    (self.redactor, self.modelStatements) = (redactor, modelStatements)
    let schema = try connection.prepare("SELECT name, tbl_name, type FROM main.sqlite_schema")
    while try schema.step() {
      guard let name = schema.text(0) else { continue }
      add(name)
      add(schema.text(1) ?? "")
      let type = schema.text(2)
      if type == "table" || type == "view" { try addColumns(of: name, isView: type == "view", connection) }
    }
  }

  private mutating func addColumns(
    of table: String, isView: Bool, _ connection: Connection
  ) throws(SQLiteError) {
    do throws(SQLiteError) {
      let columns = try connection.prepare("PRAGMA main.table_xinfo(\(table.quotedIdentifier))")
      while try columns.step() {
        let name = columns.text(1) ?? ""
        // A column of a view without a name has its expression for one, which may be a text.
        if !isView || !name.utf8.contains(where: { $0 == SQLToken.quote || $0 == UInt8(ascii: "\"") }) { add(name) }
        add(columns.text(2) ?? "")
      }
    } catch  where error.code == SQLiteError.general {
      // A view that cannot be compiled has no columns.
    }
  }

  private mutating func add(_ name: String) {
    let key = name.sqlNameKey
    names.insert(key)
    text += [0x20] + key
    // An entity or attribute, which Core Data's triggers name.
    if key.first == UInt8(ascii: "z"), key.count > 1 { names.insert(Array(key.dropFirst())) }
  }

  /// Replaces the values in a statement.
  ///
  /// - Parameter leaks: Takes note of the words.
  /// - Returns: The statement; `nil` if a word of a value has not changed.
  func redact(_ sql: String, _ leaks: inout LeakCheck) -> String? {
    let bytes = Array(sql.utf8)
    if modelStatements.contains(sql) {
      leaks.allow(bytes)
      return sql
    }
    var result: [UInt8] = []
    var context = SQLContext()
    for token in SQLToken.all(bytes) {
      let source = Array(bytes[token.range])
      if context.isCharacterCode, token.kind == .number, let code = characterCode(source) {
        result += code
      } else if context.isHexadecimal, token.kind == .text, let bytes = SQLToken.hexBytes([0] + source) {
        // Its letters are digits.
        let other = redactor.data(bytes)
        guard leaks.note(bytes, replacedBy: other, kept: redactor.kept) else { return nil }
        result += Self.literal(other, .blob).dropFirst()
      } else if let value = value(of: token, source, context) {
        var replaced: [UInt8] = []
        let isTemplate = context.isTemplate && [.text, .quoted].contains(token.kind)
        for part in isTemplate ? SQLContext.templateParts(value) : [(value, false)] {
          let new = part.isPlace ? part.bytes : self.replaced(part.bytes, token.kind)
          guard part.isPlace || leaks.note(part.bytes, replacedBy: new, kept: redactor.kept) else { return nil }
          replaced += new
        }
        result += Self.literal(replaced, token.kind)
      } else if token.kind == .comment {
        leaks.seek(source)
        result.append(0x20)
      } else {
        leaks.allow(source)
        result += source
      }
      context.note(token, source)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The value that a token stands for; `nil` if the token stays.
  private func value(of token: SQLToken, _ source: [UInt8], _ context: SQLContext) -> [UInt8]? {
    switch token.kind {
    case .comment, .name, .other: return nil
    case .word:
      // In this place, a word is a text.
      let isText = context.last == "DEFAULT" && !token.isFollowed(by: "(") && !token.isFollowed(by: ".")
      return isText && !SQLContext.constants.contains(SQLContext.word(source)) && !isName(source) ? source : nil
    case .text, .quoted:
      let value = SQLToken.unquoted(source)
      if isName(value) || SQLContext.namePlaces.contains(context.last) || token.isFollowed(by: ".") { return nil }
      if token.kind == .quoted, token.isFollowed(by: "(") { return nil }
      return context.isFormat(value) ? nil : value
    case .blob: return SQLToken.hexBytes(source)
    case .number:
      // Shorter ones are lengths and limits, or the numbers of entities.
      return context.isDefault || source.count { Redactor.isDigit($0) } >= 6 ? source : nil
    }
  }

  /// Replaces the number of a letter or digit, as `char(83, 101)` has it; `nil` if the number is another one.
  private func characterCode(_ source: [UInt8]) -> [UInt8]? {
    let text = String(decoding: source.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self).lowercased()
    let number = text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    guard let scalar = number.flatMap({ Unicode.Scalar($0) }), scalar.properties.isAlphabetic || "0"..."9" ~= scalar
    else { return nil }
    let other = String(decoding: redactor.text(Array(String(scalar).utf8)), as: UTF8.self).unicodeScalars.first
    return Array(String((other ?? scalar).value).utf8)
  }

  private func isName(_ value: [UInt8]) -> Bool {
    names.contains(String(decoding: value, as: UTF8.self).sqlNameKey)
  }

  private func replaced(_ value: [UInt8], _ kind: SQLToken.Kind) -> [UInt8] {
    switch kind {
    case .blob: return redactor.data(value)
    case .number:
      redactor.kept.removeAll()
      var result: [UInt8] = []
      if value.allSatisfy(Redactor.isDigit) {
        redactor.appendDigits(value, 0..<value.count, to: &result)
        return result
      }
      let text = String(decoding: value.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
      if let number = Int64(text) { return Array(String(redactor.integer(number)).utf8) }
      if text.lowercased().hasPrefix("0x"), let number = Int64(text.dropFirst(2), radix: 16) {
        return Array(String(redactor.integer(number)).utf8)
      }
      // SQLite reads `9e999` as infinity, which has no other spelling.
      guard let number = Double(text), number.isFinite else { return value }
      return Array("\(redactor.real(number))".utf8)
    case .comment, .word, .name, .text, .quoted, .other: return redactor.text(value)
    }
  }

  private static func literal(_ value: [UInt8], _ kind: SQLToken.Kind) -> [UInt8] {
    switch kind {
    case .number, .other, .comment: return value
    case .blob:
      var text = Array("x'".utf8)
      for byte in value { Redactor.appendHex(UInt32(byte), digits: 2, isUppercase: false, to: &text) }
      return text + [SQLToken.quote]
    case .quoted: return quoted(value, by: UInt8(ascii: "\""))
    case .word, .name, .text: return quoted(value, by: SQLToken.quote)
    }
  }

  private static func quoted(_ value: [UInt8], by quote: UInt8) -> [UInt8] {
    [quote] + value.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}

/// A part of a statement, as SQLite reads it.
struct SQLToken {
  enum Kind {
    case comment, word, number, blob, other
    /// A name in backquotes or brackets.
    case name
    /// A text in single quotes.
    case text
    /// A name in double quotes, or a text if there is no such name.
    case quoted
  }

  let kind: Kind
  let range: Range<Int>
  /// The first byte after it that is no space.
  let next: UInt8?

  static let quote = UInt8(ascii: "'")

  func isFollowed(by character: Unicode.Scalar) -> Bool { next == UInt8(ascii: character) }

  /// The parts of a statement up to its end or a zero byte, with all spaces.
  static func all(_ bytes: [UInt8]) -> [SQLToken] {
    var parts: [(kind: Kind, range: Range<Int>)] = []
    let limit = bytes.firstIndex(of: 0) ?? bytes.count
    var place = 0
    while place < limit {
      let (kind, end) = token(bytes, place, limit)
      parts.append((kind, place..<end))
      place = end
    }
    // From the end on: a file can have any number of spaces in a row, each of which is a part.
    var (tokens, next): ([SQLToken], UInt8?) = ([], nil)
    for (kind, range) in parts.reversed() {
      tokens.append(SQLToken(kind: kind, range: range, next: next))
      if !isSpace(bytes[range.lowerBound]) { next = bytes[range.lowerBound] }
    }
    return tokens.reversed()
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }

  private static func token(_ bytes: [UInt8], _ start: Int, _ limit: Int) -> (Kind, Int) {
    let (byte, next) = (bytes[start], start + 1 < limit ? bytes[start + 1] : 0)
    switch byte {
    case quote: return (.text, quotedEnd(bytes, start, limit))
    case UInt8(ascii: "\""): return (.quoted, quotedEnd(bytes, start, limit))
    case UInt8(ascii: "`"): return (.name, quotedEnd(bytes, start, limit))
    case UInt8(ascii: "["):
      return (.name, bytes[start..<limit].firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? limit)
    case UInt8(ascii: "-") where next == byte:
      return (.comment, bytes[start..<limit].firstIndex(of: 0x0A) ?? limit)
    case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
      let ends = bytes[..<limit].indices.dropFirst(start + 2).first {
        bytes[$0] == UInt8(ascii: "*") && $0 + 1 < limit && bytes[$0 + 1] == UInt8(ascii: "/")
      }
      return (.comment, ends.map { $0 + 2 } ?? limit)
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      if next == quote { return (.blob, quotedEnd(bytes, start + 1, limit)) }
      return (.word, wordEnd(bytes, start, limit))
    case _ where Redactor.isDigit(byte) || byte == UInt8(ascii: ".") && Redactor.isDigit(next):
      return (.number, numberEnd(bytes, start, limit))
    case _ where isWordByte(byte): return (.word, wordEnd(bytes, start, limit))
    default: return (.other, start + 1)
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    Redactor.isWordByte(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
  }

  private static func wordEnd(_ bytes: [UInt8], _ start: Int, _ limit: Int) -> Int {
    bytes[start..<limit].firstIndex { !isWordByte($0) } ?? limit
  }

  private static func numberEnd(_ bytes: [UInt8], _ start: Int, _ limit: Int) -> Int {
    var (place, isHex) = (start, false)
    while place < limit {
      let isSign = "+-".utf8.contains(bytes[place]) && place > start && bytes[place - 1] | 0x20 == UInt8(ascii: "e")
      // In `0x1e-2`, the sign is one between numbers.
      guard isWordByte(bytes[place]) || bytes[place] == UInt8(ascii: ".") || isSign && !isHex else { break }
      isHex = isHex || bytes[place] | 0x20 == UInt8(ascii: "x")
      place += 1
    }
    return place
  }

  /// The end behind the closing quote; two of them stand for one in the text.
  private static func quotedEnd(_ bytes: [UInt8], _ start: Int, _ limit: Int) -> Int {
    var place = start + 1
    while place < limit {
      if bytes[place] == bytes[start] {
        guard place + 1 < limit, bytes[place + 1] == bytes[start] else { return place + 1 }
        place += 1
      }
      place += 1
    }
    return limit
  }

  /// Whether a statement has one of these names, in quotes or without.
  static func names(in sql: String, anyOf names: [String]) -> Bool {
    let (bytes, keys) = (Array(sql.utf8), Set(names.map(\.sqlNameKey)))
    return all(bytes).contains { token in
      let source = Array(bytes[token.range])
      switch token.kind {
      case .word: return keys.contains(String(decoding: source, as: UTF8.self).sqlNameKey)
      case .name, .text, .quoted: return keys.contains(String(decoding: unquoted(source), as: UTF8.self).sqlNameKey)
      case .comment, .number, .blob, .other: return false
      }
    }
  }

  /// The text in quotes.
  static func unquoted(_ source: [UInt8]) -> [UInt8] {
    let quote = source[0]
    var value: [UInt8] = []
    var place = 1
    while place < source.count - 1 {
      value.append(source[place])
      place += source[place] == quote ? 2 : 1
    }
    return value
  }

  /// The bytes of `x'00ff'`; `nil` if these are none.
  static func hexBytes(_ source: [UInt8]) -> [UInt8]? {
    let digits = Array(source.dropFirst(2).dropLast())
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = Redactor.hex(digits, place, 2) else { return nil }
      bytes.append(UInt8(byte))
    }
    return bytes
  }
}

/// The words before a token, by which a name or a format is told from a value.
struct SQLContext {
  /// The word or sign before.
  private(set) var last = ""
  /// Whether `DEFAULT` is before, with a sign or parenthesis at most.
  private(set) var isDefault = false
  /// The functions, or other words, whose parentheses are open.
  private var calls: [String] = []
  /// Whether the statement asks for the types of values.
  private var hasTypes = false

  /// The words after which there is a name, in whatever quotes.
  static let namePlaces: Set = ["AS", "COLLATE", "CONSTRAINT", "REFERENCES", "."]
  /// The words that are no texts.
  static let constants: Set = ["TRUE", "FALSE", "NULL", "CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP"]

  private static let dateFunctions: Set = [
    "DATE", "TIME", "DATETIME", "JULIANDAY", "UNIXEPOCH", "STRFTIME", "TIMEDIFF",
  ]
  private static let dateWords = Set(
    """
    now start of day days month months year years hour hours minute minutes second seconds weekday unixepoch julianday \
    auto localtime utc subsec subsecond ceiling floor
    """.split(separator: " ").map(String.init))
  private static let types: Set = ["null", "integer", "real", "text", "blob"]

  static func word(_ source: [UInt8]) -> String { String(decoding: source, as: UTF8.self).uppercased() }

  mutating func note(_ token: SQLToken, _ source: [UInt8]) {
    let word = Self.word(source)
    switch token.kind {
    case .comment: return
    case .other:
      // Spaces, of which each is a token.
      if source[0] <= 0x20 { return }
      if word == "(" { calls.append(last) }
      if word == ")" { _ = calls.popLast() }
      isDefault = isDefault && ["(", "+", "-"].contains(word)
      last = last == "-" && word == ">" || last == "->" && word == ">" ? last + word : word
    case .word:
      if word == "TYPEOF" { hasTypes = true }
      (last, isDefault) = (word, word == "DEFAULT")
    case .number, .blob, .name, .text, .quoted: (last, isDefault) = ("", false)
    }
  }

  /// Whether a number is an argument of `char`, which makes a text of the numbers of its characters.
  var isCharacterCode: Bool { calls.last == "CHAR" }

  /// Whether a text is an argument of `unhex`, which reads it as a blob.
  var isHexadecimal: Bool { calls.last == "UNHEX" }

  /// Whether a text has places for values.
  var isTemplate: Bool { calls.last.map(["STRFTIME", "PRINTF", "FORMAT"].contains) ?? false }

  /// Whether a text says how a value is read, and is none itself.
  func isFormat(_ value: [UInt8]) -> Bool {
    // A key of JSON, which stays in the values too.
    if ["->", "->>"].contains(last) { return true }
    let text = String(decoding: value, as: UTF8.self)
    if hasTypes, Self.types.contains(text) { return true }
    guard let call = calls.last else { return false }
    if call.hasPrefix("JSON") { return value.first == UInt8(ascii: "$") }
    guard Self.dateFunctions.contains(call) else { return false }
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return words.contains { Self.dateWords.contains($0) }
      && words.allSatisfy { Self.dateWords.contains($0) || $0.utf8.count < 4 && $0.utf8.allSatisfy(Redactor.isDigit) }
  }

  /// The parts of a text with places for values, such as `%Y` and `%05d`, and of the text between them.
  static func templateParts(_ value: [UInt8]) -> [(bytes: [UInt8], isPlace: Bool)] {
    var parts: [(bytes: [UInt8], isPlace: Bool)] = []
    var (text, place) = ([UInt8](), 0)
    while place < value.count {
      guard value[place] == UInt8(ascii: "%"), let end = placeEnd(value, place) else {
        text.append(value[place])
        place += 1
        continue
      }
      parts += [(text, false), (Array(value[place..<end]), true)]
      (text, place) = ([], end)
    }
    return parts + [(text, false)]
  }

  /// The end of a place for a value, which has a letter at its end; `nil` if there is none.
  private static func placeEnd(_ value: [UInt8], _ start: Int) -> Int? {
    // A long width is no width: it may be a number that a person wrote.
    let signs = value[(start + 1)...].prefix(8).prefix { Redactor.isDigit($0) || "+-.*!,# ".utf8.contains($0) }
    let length = value[signs.endIndex...].prefix { $0 == UInt8(ascii: "l") }.prefix(2).count
    let letter = signs.endIndex + length
    guard letter < value.count else { return length > 0 ? letter : nil }
    if value[letter] == UInt8(ascii: "%") { return signs.isEmpty ? letter + 1 : nil }
    guard UInt8(ascii: "A")...UInt8(ascii: "Z") ~= value[letter] & ~0x20 else { return nil }
    return letter + 1
  }
}
