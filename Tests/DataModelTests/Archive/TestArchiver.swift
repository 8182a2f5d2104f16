import PropertyListFormat

/// A small `NSKeyedArchiver`: it numbers objects, and knows the ancestors of the classes that matter.
struct TestArchiver {
  private(set) var objects: [PropertyList] = [.string("$null")]
  private var classes: [String: PropertyList] = [:]

  static let null = PropertyList.uid(0)

  /// Adds a plain value.
  mutating func add(_ value: PropertyList) -> PropertyList {
    objects.append(value)
    return .uid(UInt64(objects.count - 1))
  }

  mutating func add(_ text: String) -> PropertyList { add(.string(text)) }

  /// A text, or the reference to nothing.
  mutating func add(_ text: String?) -> PropertyList {
    guard let text else { return Self.null }
    return add(.string(text))
  }

  /// Adds an object of a class.
  mutating func add(_ className: String, _ fields: PropertyListDictionary) -> PropertyList {
    let reference = reserve()
    fill(reference, className, fields)
    return reference
  }

  /// A place for an object that others refer to before it is known.
  mutating func reserve() -> PropertyList { add(.null) }

  mutating func fill(_ reference: PropertyList, _ className: String, _ fields: PropertyListDictionary) {
    var fields = fields
    fields["$class"] = classReference(className)
    objects[Int(reference.uid ?? 0)] = .dictionary(fields)
  }

  mutating func list(_ elements: [PropertyList], _ className: String = "NSArray") -> PropertyList {
    add(className, ["NS.objects": .array(elements)])
  }

  mutating func dictionary(_ pairs: [(String, PropertyList)]) -> PropertyList {
    let keys = pairs.map { add($0.0) }
    return add("NSMutableDictionary", ["NS.keys": .array(keys), "NS.objects": .array(pairs.map(\.1))])
  }

  func archive(root: PropertyList) -> PropertyList {
    .dictionary([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"), "$top": .dictionary(["root": root]),
      "$objects": .array(objects),
    ])
  }

  private mutating func classReference(_ name: String) -> PropertyList {
    if let known = classes[name] { return known }
    let ancestors = Self.ancestors[name] ?? []
    let reference = add(
      .dictionary([
        "$classname": .string(name), "$classes": .array(([name] + ancestors + ["NSObject"]).map { .string($0) }),
      ]))
    classes[name] = reference
    return reference
  }

  private static let ancestors = [
    "NSMutableArray": ["NSArray"], "NSMutableSet": ["NSSet"], "NSMutableDictionary": ["NSDictionary"],
    "NSAttributeDescription": ["NSPropertyDescription"], "NSRelationshipDescription": ["NSPropertyDescription"],
    "NSFetchedPropertyDescription": ["NSPropertyDescription"], "NSExpressionDescription": ["NSPropertyDescription"],
    "NSDerivedAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
    "NSCompositeAttributeDescription": ["NSAttributeDescription", "NSPropertyDescription"],
    "NSKeyPathExpression": ["NSFunctionExpression", "NSExpression"], "NSFunctionExpression": ["NSExpression"],
  ]
}
