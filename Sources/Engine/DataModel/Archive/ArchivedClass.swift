internal import PropertyListFormat

extension KeyedArchiveWriter {
  /// Sets an object whose number was reserved.
  mutating func fill(_ reference: PropertyList, _ archivedClass: ArchivedClass, _ fields: PropertyListDictionary) {
    fill(reference, archivedClass.lineage, fields)
  }

  /// Adds an object.
  mutating func add(_ archivedClass: ArchivedClass, _ fields: PropertyListDictionary) -> PropertyList {
    let reference = reserve()
    fill(reference, archivedClass, fields)
    return reference
  }

  /// Adds an array or a set.
  mutating func add(_ collection: ArchivedClass, _ elements: [PropertyList]) -> PropertyList {
    add(collection, ["NS.objects": .array(elements)])
  }

  /// Adds a dictionary.
  mutating func add(
    _ dictionary: ArchivedClass, pairs: [(key: String, value: PropertyList)]
  ) -> PropertyList {
    let keys = pairs.map { add($0.key) }
    return add(dictionary, ["NS.keys": .array(keys), "NS.objects": .array(pairs.map(\.value))])
  }
}

/// The classes of the objects in an archived model.
///
/// The raw values are the names that Core Data and Foundation archive.
enum ArchivedClass: String {
  case array = "NSArray"
  case mutableArray = "NSMutableArray"
  case set = "NSSet"
  case dictionary = "NSDictionary"
  case mutableDictionary = "NSMutableDictionary"
  case knownKeysDictionary = "NSKnownKeysDictionary1"
  case knownKeysMapping = "NSKnownKeysMappingStrategy1"

  case date = "NSDate"
  case decimal = "NSDecimalNumberPlaceholder"
  case url = "NSURL"
  case uuid = "NSUUID"

  case model = "NSManagedObjectModel"
  case entity = "NSEntityDescription"
  case attribute = "NSAttributeDescription"
  case derivedAttribute = "NSDerivedAttributeDescription"
  case compositeAttribute = "NSCompositeAttributeDescription"
  case relationship = "NSRelationshipDescription"
  case fetchedProperty = "NSFetchedPropertyDescription"
  case fetchRequest = "NSFetchRequest"
  case fetchIndex = "NSFetchIndexDescription"
  case fetchIndexElement = "NSFetchIndexElementDescription"

  case selfExpression = "NSSelfExpression"
  case variableExpression = "NSVariableExpression"
  case constantExpression = "NSConstantValueExpression"
  case keyPathExpression = "NSKeyPathExpression"
  case keyPathSpecifier = "NSKeyPathSpecifierExpression"
  case functionExpression = "NSFunctionExpression"

  case comparisonPredicate = "NSComparisonPredicate"
  case compoundPredicate = "NSCompoundPredicate"
  case equalityOperator = "NSEqualityPredicateOperator"
  case comparisonOperator = "NSComparisonPredicateOperator"
  case inOperator = "NSInPredicateOperator"

  /// The class and its ancestors, except `NSObject`.
  var lineage: [String] { [rawValue] + ancestors }

  private var ancestors: [String] {
    switch self {
    case .mutableArray: ["NSArray"]
    case .mutableDictionary: ["NSDictionary"]
    case .knownKeysDictionary: ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"]
    case .knownKeysMapping: ["NSKnownKeysMappingStrategy"]
    case .decimal: ["NSDecimalNumber", "NSNumber", "NSValue"]
    case .attribute, .relationship, .fetchedProperty: ["NSPropertyDescription"]
    case .derivedAttribute, .compositeAttribute: ["NSAttributeDescription", "NSPropertyDescription"]
    case .fetchRequest: ["NSPersistentStoreRequest"]
    case .selfExpression, .variableExpression, .constantExpression, .keyPathSpecifier, .functionExpression:
      ["NSExpression"]
    case .keyPathExpression: ["NSFunctionExpression", "NSExpression"]
    case .comparisonPredicate, .compoundPredicate: ["NSPredicate"]
    case .equalityOperator, .comparisonOperator, .inOperator: ["NSPredicateOperator"]
    case .array, .set, .dictionary, .date, .url, .uuid, .model, .entity, .fetchIndex, .fetchIndexElement: []
    }
  }
}

/// A decimal number as `NSDecimalNumber` stores it: a whole number and a power of ten.
struct DecimalParts {
  private let isNegative: Bool
  private let digits: UInt64
  private let exponent: Int

  /// Splits a number, or returns `nil` if a decimal cannot hold it.
  init?(_ number: Double) {
    guard number.isFinite else { return nil }
    isNegative = number < 0
    // The shortest text of the number, such as 0.1 or 1.5e-07.
    let text = "\(number.magnitude)"
    let halves = text.split(separator: "e", maxSplits: 1)
    let places = halves[0].split(separator: ".", maxSplits: 1)
    let fraction = places.count == 2 ? places[1] : ""
    guard var digits = UInt64(places[0] + fraction), var exponent = halves.count == 2 ? Int(halves[1]) : 0 else {
      return nil
    }
    exponent -= fraction.count
    while digits > 0, digits % 10 == 0 { (digits, exponent) = (digits / 10, exponent + 1) }
    if digits == 0 { exponent = 0 }
    guard (-128...127).contains(exponent) else { return nil }
    (self.digits, self.exponent) = (digits, exponent)
  }

  /// The fields of the archived number, whose digits are little-endian words of 16 bits.
  var fields: PropertyListDictionary {
    let words = (0..<4).map { UInt16(truncatingIfNeeded: digits >> ($0 * 16)) }
    let length = (words.lastIndex { $0 != 0 } ?? -1) + 1
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    return [
      "NS.exponent": .integer(Int64(exponent)), "NS.length": .integer(Int64(length)),
      "NS.negative": .boolean(isNegative), "NS.compact": .boolean(true), "NS.mantissa.bo": .integer(1),
      "NS.mantissa": .data(bytes + Array(repeating: 0, count: 8)),
    ]
  }
}
