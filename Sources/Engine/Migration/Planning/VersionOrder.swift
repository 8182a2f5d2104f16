/// The order in which the versions of a model came, as their bundle and the mapping models tell it.
///
/// The order of the bundle counts, in which numbers in names are compared as numbers. Names that differ in more than a
/// number say nothing, so between these a mapping model counts first: it leads from the earlier version to the later one.
struct VersionOrder {
  /// The place of each version in the order.
  let ranks: [Int]

  /// Orders versions.
  ///
  /// - Parameters:
  ///   - names: The names, in the order of the bundle.
  ///   - mappings: The places of the versions that mapping models lead from and to.
  init(_ names: [String], mappings: [(source: Int, destination: Int)]) {
    let stems = names.map(Self.stem)
    let edges = mappings.filter { $0.source < $0.destination || stems[$0.source] != stems[$0.destination] }
    var earlier = names.map { _ in Set<Int>() }
    for edge in edges { earlier[edge.destination].insert(edge.source) }
    var waiting = Array(names.indices)
    var ranks = names.map { _ in 0 }
    for rank in names.indices {
      // Mapping models that lead in a circle say nothing.
      let place = waiting.firstIndex { earlier[$0].isDisjoint(with: waiting) } ?? 0
      ranks[waiting.remove(at: place)] = rank
    }
    self.ranks = ranks
  }

  /// Whether the names tell that a version came after another one: they differ in their numbers alone.
  ///
  /// - Parameter names: All names, in the order of the bundle.
  static func isLater(_ name: String, than other: String, among names: [String]) -> Bool {
    guard let place = names.firstIndex(of: name), let before = names.firstIndex(of: other) else { return false }
    return place > before && stem(name) == stem(other)
  }

  /// A name without the number at its end: `Model` for `Model`, `Model 2` and `Model v2.1`.
  private static func stem(_ name: String) -> Substring {
    let separators: Set<Character> = [" ", ".", "_", "-"]
    var stem = name[...]
    while let last = stem.last, last.isNumber || separators.contains(last) { stem.removeLast() }
    if stem.count < name.count, let last = stem.last, "vV".contains(last),
      stem.count == 1 || separators.contains(stem.dropLast().last ?? "a")
    {
      stem.removeLast()
      while let last = stem.last, separators.contains(last) { stem.removeLast() }
    }
    return stem
  }
}
