/// The way in which a row keeps a property.
struct StoredForm {
  enum Kind {
    /// In a column.
    case plain
    /// As an archived array.
    case array
    /// In a column for each element.
    case composite([TypeShape.Element])
    /// In a way that no store has shown yet, with the reason.
    case unknown(String)
  }

  let kind: Kind
  /// The property, as `Trip.name`.
  let place: String
  let name: String
  /// The property's type.
  let type: Any.Type

  init(_ attribute: Entity.Attribute, of entity: String, type: Any.Type, _ model: ModelBuilder) {
    (place, name, self.type) = ("\(entity).\(attribute.name)", attribute.name, type)
    let settings = Dictionary(attribute.settings, uniquingKeysWith: { first, _ in first })
    let inner = (type as? any OptionalType.Type)?.wrapped ?? type
    if let composite = settings["composite"] {
      kind = .composite(model.composites.first { $0.name == composite }?.elements ?? [])
    } else if attribute.type == "Transformable", settings["valueTransformerName"] == ModelBuilder.secureTransformer,
      inner is any ListType.Type
    {
      kind = .array
    } else if inner is any PlainValue.Type, attribute.type != "Transformable" {
      kind = .plain
    } else {
      kind = .unknown("a store keeps values of type '\(type)' in a way that is not known")
    }
  }

  private var innerType: Any.Type { (type as? any OptionalType.Type)?.wrapped ?? type }

  // MARK: - Reading

  /// The value of the property.
  ///
  /// - Parameter column: Gives the value of a column by its name.
  func decoded<Value>(_ key: Int64, _ column: (String) -> WireValue) -> Value {
    let value: Any?
    switch kind {
    case .plain: value = (innerType as? any PlainValue.Type)?.init(wire: column(name))
    case .array: value = Self.array(column(name))
    case .composite: value = composite(column)
    case .unknown(let reason): stop("'\(place)' cannot be read: \(reason)")
    }
    if let value, let found = value as? Value { return found }
    let isEmpty = columns.allSatisfy { column($0) == .none }
    if isEmpty, let none = (type as? any OptionalType.Type)?.nothing as? Value { return none }
    let fact = isEmpty ? "no value" : "a value that is not one of '\(innerType)'"
    stop("'\(place)' has \(fact) in the row with the key \(key)")
  }

  /// The names of the columns.
  var columns: [String] {
    guard case .composite(let elements) = kind else { return [name] }
    func names(_ elements: [TypeShape.Element], _ path: String) -> [String] {
      elements.flatMap { element in
        element.elements.isEmpty
          ? ["\(path).\(element.name)"] : names(element.elements, "\(path).\(element.name)")
      }
    }
    return names(elements, name)
  }

  private static func array(_ wire: WireValue) -> Any? {
    guard case .data(let bytes) = wire else { return nil }
    let classes = [NSArray.self, NSString.self, NSNumber.self, NSData.self, NSDate.self, NSUUID.self, NSURL.self]
    return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: Data(bytes))
  }

  private func composite(_ column: (String) -> WireValue) -> Any? {
    if let raw = innerType as? any RawRepresentable.Type { return raw.value(column("\(name).\(name)")) }
    guard let type = innerType as? any Decodable.Type,
      let content = CompositeContent.object(of: type, { column("\(name).\($0)") }),
      let json = try? JSONSerialization.data(withJSONObject: content)
    else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(type, from: json)
  }

  // MARK: - Writing

  /// The columns of a value.
  func encoded(_ value: Any) -> [(column: String, value: WireValue)] {
    let empty = columns.map { ($0, WireValue.none) }
    guard let value = Self.unwrapped(value) else { return empty }
    switch kind {
    case .plain: return [(name, (value as? any PlainValue)?.wire ?? .none)]
    case .array:
      let data = try? NSKeyedArchiver.archivedData(withRootObject: Self.list(value), requiringSecureCoding: true)
      guard let data else { stop("'\(place)' cannot be written: its elements cannot be archived") }
      return [(name, .data(Array(data)))]
    case .composite:
      if let raw = value as? any RawRepresentable { return [("\(name).\(name)", raw.rawWire)] }
      // JSON has no numbers that are not finite.
      let encoder = JSONEncoder()
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      guard let value = value as? any Encodable, let json = try? encoder.encode(value),
        let content = try? JSONSerialization.jsonObject(with: json) as? [String: Any],
        let leaves = CompositeContent.columns(of: innerType, content)
      else { stop("'\(place)' cannot be written: the form in which a store keeps '\(innerType)' is not known") }
      return columns.map { column in (column, leaves[String(column.dropFirst(name.count + 1))] ?? .none) }
    case .unknown(let reason): stop("'\(place)' cannot be written: \(reason)")
    }
  }

  private static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalType else { return value }
    return optional.content.flatMap(unwrapped)
  }

  /// An array of the classes of Foundation.
  private static func list(_ value: Any) -> NSArray {
    let elements = value as? [Any] ?? []
    return NSArray(
      array: elements.map { element -> Any in
        switch element {
        case let text as String: NSString(string: text)
        case let data as Data: NSData(data: data)
        case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let flag as Bool: NSNumber(value: flag)
        case let number as any BinaryInteger: NSNumber(value: Int64(truncatingIfNeeded: number))
        case let number as any BinaryFloatingPoint: NSNumber(value: Double(number))
        default: element
        }
      })
  }
}

/// A composite as JSON's objects, which `Codable` makes and reads.
enum CompositeContent {
  /// - Parameter leaf: Gives the value of an element by its key path.
  static func object(of type: Any.Type, path: String = "", _ leaf: (String) -> WireValue) -> [String: Any]? {
    let reflected = Reflected(type)
    if reflected.kind == .enumeration {
      let name = reflected.cases.first { leaf(path + $0) != .none }
      return name.map { [$0: [String: Any]()] }
    }
    var content: [String: Any] = [:]
    for (name, type) in reflected.fields {
      let inner = (type as? any OptionalType.Type)?.wrapped ?? type
      if inner is any PlainValue.Type {
        content[name] = inner is Decimal.Type ? decimal(leaf(path + name)) : json(leaf(path + name))
      } else if let raw = inner as? any RawRepresentable.Type {
        if raw.value(leaf(path + name)) != nil { content[name] = json(leaf(path + name)) }
      } else {
        content[name] = object(of: inner, path: path, leaf) ?? object(of: inner, path: "\(path)\(name).", leaf)
      }
    }
    return content.isEmpty ? nil : content
  }

  private static func decimal(_ wire: WireValue) -> Any? { Decimal(wire: wire).map { NSDecimalNumber(decimal: $0) } }

  private static func json(_ wire: WireValue) -> Any? {
    switch wire {
    case .none, .list: nil
    case .boolean(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .double(let number), .date(let number):
      number.isFinite ? NSNumber(value: number) : NSString(string: "\(number)")
    case .text(let text), .url(let text): NSString(string: text)
    case .data(let bytes): NSString(string: Data(bytes).base64EncodedString())
    case .uuid: UUID(wire: wire).map { NSString(string: $0.uuidString) }
    }
  }

  /// The elements by their key paths; `nil` for a type whose form is not known.
  static func columns(of type: Any.Type, path: String = "", _ content: [String: Any]) -> [String: WireValue]? {
    guard Reflected(type).kind == .structure else { return nil }
    var columns: [String: WireValue] = [:]
    let fields = Reflected(type).fields
    // The names of `Codable` may be others than those of the properties.
    guard content.keys.allSatisfy({ key in fields.contains { $0.name == key } }) else { return nil }
    for (name, type) in fields {
      guard let value = content[name], !(value is NSNull) else { continue }
      let inner = (type as? any OptionalType.Type)?.wrapped ?? type
      let plain = inner as? any PlainValue.Type ?? (inner as? any RawRepresentable.Type)?.plainRawType
      if let plain {
        columns[path + name] = wire(value, plain)
      } else {
        guard let object = value as? [String: Any], let leaves = self.columns(of: inner, path: path, object) else {
          return nil
        }
        for (leaf, value) in leaves {
          columns[leaf] = value
          columns["\(path)\(name).\(leaf.dropFirst(path.count))"] = value
        }
      }
    }
    return columns
  }

  private static func wire(_ json: Any, _ type: any PlainValue.Type) -> WireValue {
    switch (json, type) {
    case (let number as NSNumber, is Bool.Type): .boolean(number.boolValue)
    case (let number as NSNumber, is any BinaryInteger.Type): .integer(number.int64Value)
    case (let number as NSNumber, is any BinaryFloatingPoint.Type): .double(number.doubleValue)
    case (let text as String, is any BinaryFloatingPoint.Type): Double(text).map { .double($0) } ?? .none
    case (let number as NSNumber, is Decimal.Type): .text("\(number)")
    case (let number as NSNumber, is Date.Type): .date(number.doubleValue)
    case (let text as String, is Date.Type): Double(text).map { .date($0) } ?? .none
    case (let text as String, is Data.Type): Data(base64Encoded: text)?.wire ?? .none
    case (let text as String, is UUID.Type): UUID(uuidString: text)?.wire ?? .none
    case (let text as String, is URL.Type): .url(text)
    case (let text as String, _): .text(text)
    default: .none
    }
  }
}

extension RawRepresentable {
  fileprivate static var plainRawType: (any PlainValue.Type)? { RawValue.self as? any PlainValue.Type }
}
