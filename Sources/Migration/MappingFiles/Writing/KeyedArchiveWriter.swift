internal import PropertyList

/// Numbers objects as `NSKeyedArchiver` does: an object, then what it refers to, then its class.
struct KeyedArchiveWriter {
  private var objects: [PropertyList] = [.string("$null")]
  private var classes: [String: PropertyList] = [:]
  private var texts: [String: PropertyList] = [:]

  static let null = PropertyList.uid(0)

  /// Adds a text; equal ones are archived once.
  mutating func add(_ text: String) -> PropertyList {
    if let known = texts[text], objects[Self.place(known)].string?.utf8.elementsEqual(text.utf8) == true {
      return known
    }
    let reference = add(.string(text))
    texts[text] = reference
    return reference
  }

  /// Adds a plain value.
  mutating func add(_ value: PropertyList) -> PropertyList {
    objects.append(value)
    return .uid(UInt64(objects.count - 1))
  }

  /// Adds an object with the fields that `makeFields` makes of a class and its ancestors.
  mutating func add<Failure: Error>(
    _ classNames: [String], makeFields: (inout KeyedArchiveWriter) throws(Failure) -> PropertyListDictionary
  ) throws(Failure) -> PropertyList {
    let reference = add(.null)
    var fields = try makeFields(&self)
    // Some classes have it in another place than the last.
    fields["$class"] = addClass(classNames + ["NSObject"])
    objects[Self.place(reference)] = .dictionary(fields)
    return reference
  }

  /// The archive of an object that has been added.
  func bytes(root: PropertyList) -> [UInt8] {
    PropertyList.dictionary([
      "$version": .integer(100_000), "$objects": .array(objects), "$archiver": .string("NSKeyedArchiver"),
      "$top": .dictionary(["root": root]),
    ]).binary()
  }

  private mutating func addClass(_ names: [String]) -> PropertyList {
    if let known = classes[names[0]] { return known }
    let reference = add(
      .dictionary(["$classname": .string(names[0]), "$classes": .array(names.map { .string($0) })]))
    classes[names[0]] = reference
    return reference
  }

  private static func place(_ reference: PropertyList) -> Int { Int(reference.uid ?? 0) }
}
