internal import CoreDataExpressions
internal import DataModel

// Policies that create each instance once look it up by name first, for every name that they encounter. A lookup must
// therefore cost no more than hashing the name: its result needs no check, and so no row to be read, as long as no
// instance has lost the value. Texts are stored in a table of a few large blocks, where a lookup takes fewer reads than
// in a dictionary of strings, and freeing the table costs nothing.

/// Finds the instances of an entity by the value of an attribute.
final class AttributeIndex {
  /// The instances known for a value.
  struct Entry {
    /// The first instance that received the value; it may have a different one by now.
    fileprivate var first: ManagedObjectID?
    /// The others, in the order in which they got it.
    fileprivate var rest: [ManagedObjectID] = []
    /// Whether all of them still have the value; deleted instances count as having it.
    fileprivate(set) var isExact = true

    /// Calls a closure with each instance once, in the order of their keys.
    func forEach(_ body: (ManagedObjectID) throws -> Void) rethrows {
      guard let first else { return }
      guard !rest.isEmpty else { return try body(first) }
      let isSorted = first < rest[0] && zip(rest, rest.dropFirst()).allSatisfy(<)
      for id in isSorted ? [first] + rest : Set(rest + [first]).sorted() { try body(id) }
    }

    fileprivate mutating func append(_ id: ManagedObjectID) {
      if first == nil { first = id } else { rest.append(id) }
    }

    /// Removes an instance if it is the last; any other stays, and makes the entry inexact.
    fileprivate mutating func remove(_ id: ManagedObjectID) {
      if rest.last == id {
        rest.removeLast()
      } else if rest.isEmpty, first == id {
        first = nil
      } else {
        isExact = false
      }
    }
  }

  let layout: EntityLayout
  /// The index of the attribute in the layout.
  let attribute: Int
  private let name: String
  @exclusivity(unchecked) private var entries: [Entry] = []
  /// The indexes of entries by text.
  private let texts = LookupTable()
  /// The indexes of entries by all other values.
  @exclusivity(unchecked) private var others: [ExpressionValue: Int] = [:]

  init(_ layout: EntityLayout, _ attribute: Int) {
    self.layout = layout
    self.attribute = attribute
    name = layout.attributeNames[attribute]
  }

  /// Whether the index holds instances of an entity.
  func covers(_ other: EntityLayout) -> Bool {
    other === layout || layout.family.count > 1 && layout.family.contains(other.number)
  }

  /// Adds an instance under a value; nil is not indexed.
  func add(_ id: ManagedObjectID, _ value: AttributeValue?) {
    guard let value else { return }
    let place: Int
    if case .string(var text) = value {
      place = text.withUTF8 { bytes in
        let key = UnsafeRawBufferPointer(bytes)
        return Int(texts.value(at: texts.insert(Int64(entries.count), forKey: key, hash: LookupTable.hash(key))))
      }
      if place == entries.count { entries.append(Entry()) }
    } else {
      let other = ExpressionValue(value)
      place = others[other] ?? entries.count
      if place == entries.count {
        others[other] = place
        entries.append(Entry())
      }
    }
    entries[place].append(id)
  }

  /// Adds an instance under its current value.
  func add(_ object: ManagedObject) {
    guard let index = object.layout.attributeIndex(name) else { return }
    add(object.objectID, object.value(at: index))
  }

  /// Updates the index for a changed value of an instance, if the attribute is the indexed one.
  func change(_ object: ManagedObject, _ index: Int, from old: AttributeValue?, to new: AttributeValue?) {
    guard object.layout === layout ? index == attribute : object.layout.attributeIndex(name) == index else { return }
    if let old {
      let known = ExpressionValue(old)
      guard known != ExpressionValue(new) else { return }
      if let place = place(of: known) { entries[place].remove(object.objectID) }
    }
    add(object.objectID, new)
  }

  /// The instances known for a value.
  func entry(for value: ExpressionValue) -> Entry { place(of: value).map { entries[$0] } ?? Entry() }

  private func place(of value: ExpressionValue) -> Int? {
    guard case .string(var text) = value else { return others[value] }
    return text.withUTF8 { bytes in
      let key = UnsafeRawBufferPointer(bytes)
      return texts.index(forKey: key, hash: LookupTable.hash(key)).map { Int(texts.value(at: $0)) }
    }
  }
}

extension Predicate {
  /// The index of an attribute that must equal a value for the whole predicate to be true.
  func equalAttribute(
    of layout: EntityLayout, _ variables: [String: ExpressionValue]
  ) -> (attribute: Int, value: ExpressionValue)? {
    switch self {
    case .and(let parts): return parts.lazy.compactMap { $0.equalAttribute(of: layout, variables) }.first
    case .comparison(let comparison):
      guard comparison.comparisonOperator == .equal, comparison.modifier == .direct, comparison.options.isEmpty else {
        return nil
      }
      return Self.equality(comparison.left, comparison.right, layout, variables)
        ?? Self.equality(comparison.right, comparison.left, layout, variables)
    default: return nil
    }
  }

  private static func equality(
    _ left: Expression, _ right: Expression, _ layout: EntityLayout, _ variables: [String: ExpressionValue]
  ) -> (attribute: Int, value: ExpressionValue)? {
    guard case .keyPath(.evaluatedObject, let path) = left, path.count == 1, case .key(let name) = path[0],
      let index = layout.searchableIndex(name), let value = value(of: right, variables), !value.isNull
    else { return nil }
    return (index, value)
  }

  private static func value(of expression: Expression, _ variables: [String: ExpressionValue]) -> ExpressionValue? {
    if case .variable(let name) = expression { return variables[name] }
    if case .constant(.string(let text)) = expression { return .string(text) }
    return expression.isIndependent ? try? expression.value(in: EvaluationContext()) : nil
  }
}
