internal import DataModel

/// The names of a model as Swift writes them.
struct SwiftNames {
  /// The names of all entities, in all versions.
  let entities: Set<String>
  /// The names that mean something of the model, in all versions: entities and properties.
  let taken: Set<String>

  init(_ models: [ManagedObjectModel]) {
    let all = models.flatMap(\.entities)
    entities = Set(all.map(\.name))
    taken = entities.union(
      all.flatMap { $0.ownDeclaredAttributes.map(\.name) + $0.ownRelationships.map(\.name) })
  }

  /// The origins of the types that the source uses.
  private static let modules: [String: Set<String>] = [
    "Swift": ["Bool", "Codable", "Double", "Float", "Int", "Int16", "Int32", "Int64", "String"],
    "Foundation": ["Data", "Date", "Decimal", "NSObject", "TimeInterval", "URL", "UUID"],
    "SwiftData": [
      "Attribute", "Index", "MigrationStage", "Model", "PersistentModel", "Relationship", "Schema",
      "SchemaMigrationPlan", "Transient", "Unique", "VersionedSchema",
    ],
  ]

  /// All types that the source may use.
  static let standard = modules.values.reduce(into: Set<String>()) { $0.formUnion($1) }

  /// A type or macro of a library, with its module if something of the model has its name.
  func library(_ name: String) -> String {
    guard taken.contains(name), let module = Self.modules.first(where: { $0.value.contains(name) })?.key else {
      return name
    }
    return "\(module).\(name)"
  }

  /// The type of an attribute's values; `nil` if it is not one of the plain types.
  func plainType(_ type: AttributeType) -> String? {
    switch type {
    case .integer16: library("Int16")
    case .integer32: library("Int32")
    case .integer64: library("Int")
    case .decimal: library("Decimal")
    case .double: library("Double")
    case .float: library("Float")
    case .string: library("String")
    case .boolean: library("Bool")
    case .date: library("Date")
    case .binaryData: library("Data")
    case .uuid: library("UUID")
    case .uri: library("URL")
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }

  // MARK: - Identifiers

  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "_", "as", "associatedtype", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup",
    "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// Whether a name can be written without the raw identifiers of Swift 6.2.
  static func isPlain(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
    return name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
  }

  /// A name as an identifier: keywords and names with other characters stand in backticks.
  ///
  /// Characters that backticks cannot hold become `_`.
  static func identifier(_ name: String) -> String {
    if isPlain(name) { return keywords.contains(name) ? "`\(name)`" : name }
    if canBeRaw(name) { return "`\(name)`" }
    let scalars = name.unicodeScalars.map { $0.properties.isXIDContinue ? Character($0) : "_" }
    return "_" + String(scalars)
  }

  /// A name as the label of an argument, where most keywords need no backticks.
  static func label(_ name: String) -> String {
    isPlain(name) && !["inout", "let", "var", "_"].contains(name) ? name : identifier(name)
  }

  /// Names that Swift reads as something else behind a point, in backticks too.
  static let misread: Set<String> = ["Protocol", "Self", "Type", "init", "self"]

  /// Whether an identifier says a name as it is.
  static func canSay(_ name: String) -> Bool { isPlain(name) || canBeRaw(name) }

  private static func canBeRaw(_ name: String) -> Bool {
    name.unicodeScalars.contains { $0.properties.isXIDContinue }
      && name.unicodeScalars.allSatisfy { $0 != "`" && $0 != "\\" && !$0.needsEscape }
  }

  /// A name as the beginning of names of types: the letters and digits, the first of them in upper case.
  static func typeName(_ name: String, or fallback: String) -> String {
    let scalars = String(name.unicodeScalars.filter { $0.properties.isXIDContinue }.map { Character($0) })
    let text = scalars.prefix(1).uppercased() + scalars.dropFirst()
    return isPlain(text) ? text : fallback
  }

  // MARK: - Values

  /// The initial value of a property; `nil` if it cannot be written.
  func literal(_ value: AttributeValue, of type: AttributeType) -> String? {
    switch value {
    case .integer(let number): "\(number)"
    case .double(let number): number.isFinite ? "\(number)" : nil
    case .boolean(let value): "\(value)"
    case .string(let text): Self.quoted(text)
    case .date(let time):
      time.isFinite ? "\(library("Date"))(timeIntervalSinceReferenceDate: \(time))" : nil
    case .data(let bytes):
      bytes.count <= 64 ? "\(library("Data"))([\(bytes.map { "\($0)" }.joined(separator: ", "))])" : nil
    case .uuid: value.xcodeText.map { "\(library("UUID"))(uuidString: \"\($0)\")!" }
    case .uri(let text): "\(library("URL"))(string: \(Self.quoted(text)))!"
    }
  }

  /// A string literal.
  static func quoted(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case _ where scalar.needsEscape: literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      case _: literal.unicodeScalars.append(scalar)
      }
    }
    return "\"\(literal)\""
  }
}

extension Unicode.Scalar {
  /// Whether it would end a line or be invisible in source.
  fileprivate var needsEscape: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
