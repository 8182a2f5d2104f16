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

  /// The class and all its ancestors.
  var lineage: [String] { [rawValue] + ancestors + ["NSObject"] }

  /// What is between the class and `NSObject`, the nearest first.
  private var ancestors: [String] {
    switch self {
    case .mutableArray: ["NSArray"]
    case .mutableDictionary: ["NSDictionary"]
    case .knownKeysDictionary: ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"]
    case .knownKeysMapping: ["NSKnownKeysMappingStrategy"]
    case .decimal: ["NSDecimalNumber", "NSNumber", "NSValue"]
    case .attribute, .relationship, .fetchedProperty: ["NSPropertyDescription"]
    case .derivedAttribute: ["NSAttributeDescription", "NSPropertyDescription"]
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
