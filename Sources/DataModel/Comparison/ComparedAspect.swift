/// How one aspect of entities or properties is compared.
struct ComparedAspect<Element> {
  let aspect: ModelAspect
  /// The value as text; `nil` where there is none.
  let text: (Element) -> String?
  /// Takes the value over from another element.
  let assign: (inout Element, Element) -> Void

  init(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, Bool>) {
    self.init(aspect, path) { $0 ? "YES" : "NO" }
  }

  init(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, String?>) {
    self.init(aspect, path, text: \.self)
  }

  init(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, AttributeValue?>) {
    self.init(aspect, path) { $0?.comparedText }
  }

  init<Value>(_ aspect: ModelAspect, _ path: WritableKeyPath<Element, Value>, text: @escaping (Value) -> String?) {
    self.aspect = aspect
    self.text = { text($0[keyPath: path]) }
    assign = { $0[keyPath: path] = $1[keyPath: path] }
  }

  /// Tells how two elements differ.
  ///
  /// - Parameters:
  ///   - old: The element of the old model.
  ///   - translated: The same, with the names that the new model has for what it refers to.
  ///   - new: The element of the new model.
  ///   - hash: What an element contributes to the version hash of its entity.
  ///   - report: Gets the change, whether it affects the hash, and whether it only follows from other names.
  func compare(
    _ old: Element, translated: Element, _ new: Element, hash: (Element) -> [UInt8]?,
    report: (ModelChange.Kind, Bool, Bool) -> Void
  ) {
    let (before, after) = (text(old), text(new))
    guard !before.hasSameBytes(as: after) else { return }
    var altered = old
    assign(&altered, new)
    report(
      .changed(aspect, from: before, to: after), hash(altered) != hash(old), text(translated).hasSameBytes(as: after))
  }
}

extension AttributeValue {
  /// The value as Xcode writes it; bytes, which it does not write, are hexadecimal.
  var comparedText: String {
    switch self {
    case .data(let bytes): VersionHash(bytes: bytes).description
    default: xcodeText ?? ""
    }
  }
}

extension [String: String] {
  /// The entries, sorted by their keys.
  var comparedText: String? {
    if isEmpty { return nil }
    return sorted { $0.key.precedesByBytes($1.key) }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
  }
}

extension String? {
  /// Whether both are the same to a version hash; Swift also counts texts as equal that Unicode does.
  func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let text?, let other?): text.utf8.elementsEqual(other.utf8)
    default: false
    }
  }
}
