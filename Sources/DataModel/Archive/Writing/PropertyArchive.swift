internal import PropertyList

/// A property as it is archived with the entity that declares it.
struct PropertyArchive {
  let name: String
  let archivedClass: ArchivedClass
  let fields: PropertyListDictionary
  let reference: PropertyList

  init(
    _ name: String, _ archivedClass: ArchivedClass, _ fields: PropertyListDictionary, _ reference: PropertyList
  ) {
    self.name = name
    self.archivedClass = archivedClass
    self.fields = fields
    self.reference = reference
  }
}
