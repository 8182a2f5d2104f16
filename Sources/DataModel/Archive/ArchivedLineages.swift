/// Tells the properties that archived entities declare from those that they inherit.
///
/// A compiled model lists only what an entity declares. The model in a store lists what it inherits too, as copies or as
/// proxies; there a property is an entity's own where no ancestor lists that name.
struct ArchivedLineages {
  /// The names of all properties of each entity, inherited ones included.
  private var names: [String: Set<String>] = [:]
  private var parents: [String: String] = [:]

  init(_ outlines: [EntityOutline]) throws(ModelFileProblem) {
    var children: [String: [EntityOutline]] = [:]
    for outline in outlines {
      if let parent = outline.superentityName { children[parent, default: []].append(outline) }
    }
    // Parents first. What no root leads to is part of a cycle, which the model reports.
    var waiting = outlines.filter { $0.superentityName == nil }
    var count = 0
    while let outline = waiting.popLast() {
      guard names[outline.name] == nil else { continue }
      let inherited = outline.superentityName.flatMap { names[$0] } ?? []
      let all = inherited.union(outline.properties.map(\.name))
      count += all.count
      let limit = InheritanceResolver.propertyLimit
      guard count <= limit else { throw .model(.tooManyInheritedProperties(limit: limit)) }
      names[outline.name] = all
      parents[outline.name] = outline.superentityName
      waiting += children[outline.name] ?? []
    }
  }

  /// Whether an entity declares a property that it lists.
  func declares(_ property: String, _ entity: String) -> Bool {
    guard let parent = parents[entity] else { return true }
    return names[parent]?.contains(property) != true
  }

  /// Whether an entity has a property, declared or inherited.
  func has(_ property: String, _ entity: String) -> Bool {
    names[entity]?.contains(property) == true
  }
}
