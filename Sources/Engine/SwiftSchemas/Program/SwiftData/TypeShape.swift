@_spi(Reflection) import Swift

/// The form in which a store keeps values of a Swift type.
enum TypeShape {
  /// One value in one column; the name is Core Data's in models.
  case value(String)
  /// Several values, each with a column of its own.
  case composite(name: String, [Element])
  case toOne(any PersistentModel.Type)
  case toMany(any PersistentModel.Type)

  /// A value of a composite.
  struct Element {
    let name: String
    let type: String
    var elements: [Element] = []
    /// The name of the composite that the element is, if it is one.
    var compositeName = ""
    /// The raw values of an enumeration, as a JSON array.
    var rawValues: String?
  }
}

/// Finds out how a store keeps a property's type, and whether that is certain.
struct TypeReader {
  /// The reasons for which a store of Apple's may differ.
  private(set) var doubts: [String] = []

  /// The shape of a type, and whether it may be nil.
  mutating func shape(_ type: Any.Type, property: String) -> (shape: TypeShape, isOptional: Bool) {
    let (inner, isOptional) = unwrapped(type)
    return (shape(inner, named: property), isOptional)
  }

  private func unwrapped(_ type: Any.Type) -> (type: Any.Type, isOptional: Bool) {
    guard let optional = type as? any OptionalType.Type else { return (type, false) }
    return (unwrapped(optional.wrapped).type, true)
  }

  private mutating func shape(_ type: Any.Type, named property: String) -> TypeShape {
    if let model = type as? any PersistentModel.Type { return .toOne(model) }
    if let list = type as? any ListType.Type {
      let (element, isOptional) = unwrapped(list.element)
      if let model = element as? any PersistentModel.Type { return .toMany(model) }
      if list.isOrdered, PlainType.name(of: element) != nil {
        if isOptional || PlainType.isDoubtful(element) { doubts.append("values of type '\(type)' are transformable") }
        return .value("Transformable")
      }
      doubts.append("values of type '\(type)' are kept as data")
      return .value("Binary")
    }
    if let name = PlainType.name(of: type) {
      if PlainType.isDoubtful(type) { doubts.append("values of type '\(type)' are kept as \(name)") }
      return .value(name)
    }
    if let dictionary = type as? any DictionaryType.Type {
      let isKnown =
        dictionary.key is String.Type && PlainType.name(of: dictionary.value) == nil
        && Reflected(dictionary.value).kind == .structure
      if !isKnown { doubts.append("values of type '\(type)' are kept as data") }
      return .value("Binary")
    }
    return composite(type, named: property)
  }

  private mutating func composite(_ type: Any.Type, named property: String) -> TypeShape {
    let elements = elements(type, named: property, depth: 0)
    guard !elements.isEmpty else {
      doubts.append("values of type '\(type)' are kept as data")
      return .value("Binary")
    }
    if "\(type)".contains("<") { doubts.append("'\(type)' is a generic type") }
    var names: Set<String> = []
    guard elements.allSatisfy({ names.insert($0.name).inserted }) else {
      doubts.append("several values within '\(type)' have the same name")
      return .composite(name: "\(type)", elementsWithPaths(type))
    }
    return .composite(name: "\(type)", elements)
  }

  /// The leaves of a type, under their plain names.
  private mutating func elements(_ type: Any.Type, named name: String, depth: Int) -> [TypeShape.Element] {
    let reflected = Reflected(type)
    if let raw = (type as? any RawRepresentable.Type)?.rawType {
      guard let plain = PlainType.name(of: raw) else { return [] }
      if reflected.kind != .enumeration { doubts.append("'\(type)' is a struct with a raw value") }
      let values = (type as? any RawRepresentable.Type)?.rawValueList
      return [TypeShape.Element(name: name, type: plain, rawValues: values)]
    }
    // Types of libraries have parts of their own, which are not what they are encoded as.
    guard depth < 16, !Reflected.isOfLibrary(type) else { return [] }
    switch reflected.kind {
    case .enumeration:
      if reflected.hasPayloads { doubts.append("'\(type)' is an enumeration with associated values") }
      return reflected.cases.map { TypeShape.Element(name: $0, type: "String") }
    case .structure:
      return reflected.fields.flatMap { leaves(of: $0.type, named: $0.name, depth: depth) }
    case .other: return []
    }
  }

  private mutating func leaves(of type: Any.Type, named name: String, depth: Int) -> [TypeShape.Element] {
    let (inner, isOptional) = unwrapped(type)
    if let plain = PlainType.name(of: inner) {
      if PlainType.isDoubtful(inner) { doubts.append("values of type '\(inner)' are kept as \(plain)") }
      return [TypeShape.Element(name: name, type: plain)]
    }
    if inner is any ListType.Type { return [TypeShape.Element(name: name, type: "Binary")] }
    if inner is any DictionaryType.Type {
      doubts.append("'\(name)' is a dictionary within a struct")
      return [TypeShape.Element(name: name, type: "Binary")]
    }
    if isOptional { doubts.append("'\(name)' is an optional struct or enumeration within a struct") }
    let elements = elements(inner, named: name, depth: depth + 1)
    guard elements.isEmpty else { return elements }
    doubts.append("values of type '\(inner)' are kept as data")
    return [TypeShape.Element(name: name, type: "Binary")]
  }

  /// The parts of a struct, with structs within it as composites of their own, so that all names differ.
  private mutating func elementsWithPaths(_ type: Any.Type) -> [TypeShape.Element] {
    var reader = TypeReader()
    return Reflected(type).fields.flatMap { field -> [TypeShape.Element] in
      let leaves = reader.leaves(of: field.type, named: field.name, depth: 1)
      let inner = "\(reader.unwrapped(field.type).type)"
      if leaves.count == 1 { return leaves }
      return [TypeShape.Element(name: field.name, type: "Composite", elements: leaves, compositeName: inner)]
    }
  }
}

/// The types that a column keeps as they are.
private enum PlainType {
  static func name(of type: Any.Type) -> String? {
    switch type {
    case is Int.Type, is Int64.Type, is UInt.Type, is UInt64.Type: "Integer 64"
    case is Int32.Type, is UInt32.Type: "Integer 32"
    case is Int16.Type, is UInt16.Type, is Int8.Type, is UInt8.Type: "Integer 16"
    case is Bool.Type: "Boolean"
    case is Double.Type, is CGFloat.Type: "Double"
    case is Float.Type: "Float"
    case is Decimal.Type: "Decimal"
    case is String.Type, is Character.Type: "String"
    case is Date.Type: "Date"
    case is Data.Type: "Binary"
    case is UUID.Type: "UUID"
    case is URL.Type: "URI"
    default: nil
    }
  }

  static func isDoubtful(_ type: Any.Type) -> Bool {
    type is URL.Type || type is Character.Type || type is CGFloat.Type
  }
}

/// Any optional.
protocol OptionalType {
  static var wrapped: Any.Type { get }
  static var nothing: Any { get }
  var content: Any? { get }
}
extension Optional: OptionalType {
  static var wrapped: Any.Type { Wrapped.self }
  static var nothing: Any { Self.none as Any }
  var content: Any? { self }
}

/// An array or a set.
protocol ListType {
  static var element: Any.Type { get }
  static var isOrdered: Bool { get }
}
extension Array: ListType {
  static var element: Any.Type { Element.self }
  static var isOrdered: Bool { true }
}
extension Set: ListType {
  static var element: Any.Type { Element.self }
  static var isOrdered: Bool { false }
}

private protocol DictionaryType {
  static var key: Any.Type { get }
  static var value: Any.Type { get }
}
extension Dictionary: DictionaryType {
  static var key: Any.Type { Key.self }
  static var value: Any.Type { Value.self }
}

extension RawRepresentable {
  fileprivate static var rawType: Any.Type { RawValue.self }

  /// The raw values of an enumeration as a JSON array; `nil` if they are not texts or whole numbers.
  fileprivate static var rawValueList: String? {
    let values = Reflected.values(of: Self.self).map(\.rawValue)
    let words: [Any] = values.compactMap { value in
      if let number = value as? any BinaryInteger { return Int64(exactly: number).map { NSNumber(value: $0) } }
      return value as? String
    }
    guard !values.isEmpty, words.count == values.count,
      let data = try? JSONSerialization.data(withJSONObject: words, options: [.withoutEscapingSlashes])
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}

/// The parts of a type, as the runtime knows them.
struct Reflected {
  enum Kind { case structure, enumeration, other }

  let kind: Kind
  private let type: Any.Type

  init(_ type: Any.Type) {
    self.type = type
    // The first word of a value type's metadata is its kind, the second one leads to its description.
    switch unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee {
    case 0x200: kind = .structure
    case 0x201: kind = .enumeration
    default: kind = .other
    }
  }

  /// The stored properties of a struct, in their order.
  var fields: [(name: String, type: Any.Type)] {
    var fields: [(name: String, type: Any.Type)] = []
    guard kind == .structure else { return [] }
    _forEachField(of: type) { name, _, type, _ in
      // The storage of a lazy property, which is not encoded.
      let name = String(cString: name)
      if !name.hasPrefix("$") { fields.append((name, type)) }
      return true
    }
    return fields
  }

  /// The names of an enumeration's cases, in their order.
  var cases: [String] { records.map(\.name) }

  /// Whether a case has associated values.
  var hasPayloads: Bool { records.contains(where: \.hasType) }

  private var records: [(name: String, hasType: Bool)] {
    guard kind != .other else { return [] }
    let descriptor = unsafeBitCast(type, to: UnsafePointer<UnsafeRawPointer>.self)[1]
    // Swift's ABI: relative addresses of 32 bits; the fields' description is the fifth word.
    guard let fields = Self.target(of: descriptor + 16) else { return [] }
    let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
    return (0..<Int(fields.load(fromByteOffset: 12, as: UInt32.self))).compactMap { index in
      let record = fields + 16 + index * size
      guard let name = Self.target(of: record + 8) else { return nil }
      return (String(cString: name.assumingMemoryBound(to: CChar.self)), Self.target(of: record + 4) != nil)
    }
  }

  /// The values of an enumeration without associated values; none for other types.
  static func values<Value>(of type: Value.Type) -> [Value] {
    let reflected = Reflected(type)
    guard reflected.kind == .enumeration, !reflected.hasPayloads, MemoryLayout<Value>.size <= 8 else { return [] }
    // Swift's ABI: the memory has the number of the case, in as few bytes as are needed.
    return reflected.cases.indices.map { index in
      withUnsafeBytes(of: UInt64(index).littleEndian) { $0.load(as: Value.self) }
    }
  }

  private static func target(of address: UnsafeRawPointer) -> UnsafeRawPointer? {
    let offset = address.loadUnaligned(as: Int32.self)
    return offset == 0 ? nil : address + Int(offset)
  }

  /// Whether a type comes from the toolchain, and not from the app.
  static func isOfLibrary(_ type: Any.Type) -> Bool {
    let module = String(reflecting: type).prefix { $0 != "." }
    return ["Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "__C", "SwiftData"]
      .contains(String(module))
  }
}
