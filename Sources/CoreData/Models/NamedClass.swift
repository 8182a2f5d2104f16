/// Classes by their names.
enum NamedClass {
  /// The class of a name as models and mapping models write it: `Module.Name`.
  ///
  /// Without its module, as in `Name` and `.Name`, nothing can be found without Objective-C's list of classes.
  static func find(_ name: String) -> AnyClass? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    return NSClassFromString(name)
  }
}
