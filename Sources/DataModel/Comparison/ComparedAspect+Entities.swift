extension ComparedAspect where Element == EntityDescription {
  static var all: [ComparedAspect] {
    [
      ComparedAspect(.isAbstract, \.isAbstract),
      ComparedAspect(.superentity, \.superentityName),
      ComparedAspect(.uniquenessConstraints, \.uniquenessConstraints) { $0.comparedText },
      ComparedAspect(.versionHashModifier, \.versionHashModifier),
      ComparedAspect(.managedObjectClassName, \.managedObjectClassName) { $0 == "NSManagedObject" ? nil : $0 },
      ComparedAspect(.renamingIdentifier, \.renamingIdentifier) { $0 },
      ComparedAspect(.userInfo, \.userInfo) { $0.comparedText },
    ]
  }
}

extension EntityDescription {
  /// What the entity contributes to its version hash besides its properties.
  var ownHashMessage: [UInt8] {
    var message = HashMessage()
    message.append(byte: isAbstract ? 1 : 0)
    message.append(superentityName.map { "parent \($0)" } ?? "root")
    message.append(versionHashModifier.map { "modifier \($0)" } ?? "none")
    message.append(uniquenessConstraints.comparedText ?? "")
    return message.bytes
  }

  /// Whether two entities name the same class.
  ///
  /// Xcode writes `.Track` for a class of the app's own module, and the compiler puts the name of the module in.
  func hasSameClass(as other: EntityDescription) -> Bool {
    guard let name = managedObjectClassName, let otherName = other.managedObjectClassName else { return false }
    return name.hasPrefix(".") && otherName.hasSuffix(name) || otherName.hasPrefix(".") && name.hasSuffix(otherName)
  }
}

extension [[String]] {
  /// The constraints as `(a, b), (c)`.
  ///
  /// The order of constraints has no meaning, and their version hash sorts them.
  fileprivate var comparedText: String? {
    if isEmpty { return nil }
    return map { "(\($0.joined(separator: ", ")))" }.sorted { $0.precedesByBytes($1) }.joined(separator: ", ")
  }
}
