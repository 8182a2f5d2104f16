internal import CoreDataExpressions
internal import Synchronization

extension NSPredicate {
  /// Creates a predicate from a format, such as `name == %@`.
  ///
  /// A fetch that uses an invalid format throws.
  ///
  /// - Parameter arguments: The values of the placeholders: text, numbers, dates, identifiers, data, URLs, instances,
  ///   and arrays and sets of these.
  public convenience init(format predicateFormat: String, _ arguments: Any...) {
    self.init(format: predicateFormat, argumentArray: arguments)
  }

  /// Creates a predicate from a format, with its arguments in an array.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(PredicateContent(format: predicateFormat, arguments: arguments ?? []))
  }

  convenience init(_ content: consuming PredicateContent) {
    let predicate = FormatPredicate(content)
    self.init(block: { predicate.isTrue(of: $0, $1) })
    predicate.belongs(to: self)
  }

  /// The predicate with values in the place of its variables.
  func substituting(_ variables: [String: Any]) -> NSPredicate {
    guard case .parsed(let predicate, let known) = PredicateContent(self).parsed else { return self }
    return NSPredicate(
      .parsed(predicate, known.merging(variables.compactMapValues { ExpressionValue(any: $0) }) { $1 }))
  }

  /// The predicate in the format syntax; nil for code.
  var format: String? {
    if case .parsed(let predicate, _) = PredicateContent(self).parsed { predicate.description } else { nil }
  }
}

/// The content that a predicate was created from, kept for as long as the predicate exists.
///
/// The predicate's closure holds this object, and so do the closures of its copies.
final class FormatPredicate {
  let content: PredicateContent
  private weak var predicate: NSPredicate?
  private var key: ObjectIdentifier?

  init(_ content: PredicateContent) {
    self.content = content
  }

  deinit {
    guard let key else { return }
    // A later predicate may have been allocated at the same address.
    Self.table.withLock { if $0.entries[key]?.object == nil { $0.entries[key] = nil } }
  }

  /// A weak reference may be read at any time, even while the object is being released.
  private struct Entry: @unchecked Sendable {
    weak var object: FormatPredicate?
  }

  /// The predicate that was created last.
  ///
  /// It is almost always the one asked about next, and then never again, because policies create one for each fetch.
  /// While it is held here, nothing else can be allocated at its address, and no weak reference is needed, which would
  /// cost more than everything else.
  private struct Latest: @unchecked Sendable {
    var predicate: NSPredicate
    let object: FormatPredicate

    /// Whether anything else references the predicate.
    var isInUse: Bool { mutating get { !isKnownUniquelyReferenced(&predicate) } }
  }

  private struct Table {
    var latest: Latest?
    var entries: [ObjectIdentifier: Entry] = [:]
  }

  private static let table = Mutex(Table())

  /// Records that a predicate, whose closure holds this object, was created from it.
  func belongs(to predicate: NSPredicate) {
    // The next predicate may never be created, and instances must not be retained until then.
    guard !content.hasVariables else { return Self.table.withLock { remember(predicate, &$0) } }
    let latest = Latest(predicate: predicate, object: self)
    // The previous one is released only after the table is unlocked, because its release may use the table.
    let previous = Self.table.withLock { table in
      var previous = table.latest
      table.latest = nil
      if previous?.isInUse == true, let previous { previous.object.remember(previous.predicate, &table) }
      table.latest = latest
      return previous
    }
    withExtendedLifetime(previous) {}
  }

  private func remember(_ predicate: NSPredicate, _ table: inout Table) {
    let key = ObjectIdentifier(predicate)
    (self.key, self.predicate) = (key, predicate)
    table.entries[key] = Entry(object: self)
  }

  /// The content that a predicate was created from.
  static func of(_ predicate: NSPredicate) -> FormatPredicate? {
    let key = ObjectIdentifier(predicate)
    let found = table.withLock { table in
      if let latest = table.latest, latest.predicate === predicate { return Found(object: latest.object, isIt: true) }
      let object = table.entries[key]?.object
      return Found(object: object, isIt: object?.predicate === predicate)
    }
    return found.isIt ? found.object : nil
  }

  /// The object at a predicate's address, retained while it leaves the table.
  private struct Found: @unchecked Sendable {
    let object: FormatPredicate?
    let isIt: Bool
  }

  /// Returns whether the predicate is true for an object; false if it cannot be evaluated.
  func isTrue(of object: Any?, _ bindings: [String: Any]?) -> Bool {
    let handle = object as? NSManagedObject
    do {
      if case .invalid(let reason) = content { throw PolicyFailure(description: reason) }
      guard case .parsed(let predicate, let variables) = content.parsed, let value = ExpressionValue(any: object) else {
        throw PolicyFailure(description: "it is asked of no known value")
      }
      var context = EvaluationContext(object: value, variables: variables)
      for (name, value) in bindings ?? [:] { context.variables[name] = ExpressionValue(any: value) }
      return try predicate.evaluate(in: context)
    } catch {
      handle?.record("a predicate cannot be evaluated: \(error)")
      return false
    }
  }
}

/// The content of a predicate.
enum PredicateContent {
  /// A format, with the values of its variables.
  case parsed(CoreDataExpressions.Predicate, [String: ExpressionValue])
  /// A known format, with its text.
  case equality(EqualityTemplate, String)
  /// An invalid format, with the reason.
  case invalid(String)
  /// A closure of the app.
  case code

  /// Whether there are values besides the format: instances, and others without a literal form.
  var hasVariables: Bool {
    if case .parsed(_, let variables) = self { !variables.isEmpty } else { false }
  }

  /// The same, as a predicate if it is a known format.
  var parsed: PredicateContent {
    if case .equality(let template, let text) = self { .parsed(template.predicate(text), [:]) } else { self }
  }

  init(format: String, arguments values: [Any]) {
    if let (template, text) = FormatTemplates.template(format, values) {
      self = .equality(template, text)
      return
    }
    let arguments = FormatArguments(values)
    guard arguments.unknownKind == nil else {
      self = .invalid("'\(format)': an argument is \(arguments.unknownKind ?? "of no known kind")")
      return
    }
    do {
      let predicate = try CoreDataExpressions.Predicate(format: format, arguments: arguments.arguments)
      self = .parsed(predicate, arguments.variables)
    } catch {
      self = .invalid("\(error)")
    }
  }

  /// The content of a Foundation predicate.
  ///
  /// Foundation's class keeps only a closure, so the content of the format is recorded separately.
  init(_ predicate: NSPredicate) {
    if let made = FormatPredicate.of(predicate) {
      self = made.content
    } else if let compound = predicate as? NSCompoundPredicate {
      self = Self.joined(compound.subpredicates.map { PredicateContent($0) }, compound.compoundPredicateType)
    } else {
      self = .code
    }
  }

  private static func joined(
    _ contents: [PredicateContent], _ type: NSCompoundPredicate.LogicalType
  ) -> PredicateContent {
    var predicates: [CoreDataExpressions.Predicate] = []
    var variables: [String: ExpressionValue] = [:]
    for content in contents {
      guard case .parsed(let predicate, let others) = content.parsed else { return content }
      predicates.append(predicate)
      variables.merge(others) { first, _ in first }
    }
    switch (type, predicates.count) {
    case (.not, 1): return .parsed(.not(predicates[0]), variables)
    case (.not, _): return .code
    case (_, 0): return .parsed(.constant(type == .and), variables)
    case (_, 1): return .parsed(predicates[0], variables)
    default: return .parsed(type == .and ? .and(predicates) : .or(predicates), variables)
    }
  }
}
