internal import DataModel
internal import PropertyList

extension UserInfoArchive {
  /// User info as a keyed archive of a dictionary, sorted by its keys.
  static func bytes(_ userInfo: [String: String]) -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let pairs = userInfo.sorted { $0.key.precedesByBytes($1.key) }
    let root = writer.add(["NSMutableDictionary", "NSDictionary"]) { writer in
      let keys = pairs.map { writer.add($0.key) }
      return ["NS.keys": .array(keys), "NS.objects": .array(pairs.map { writer.add($0.value) })]
    }
    return writer.bytes(root: root)
  }
}
