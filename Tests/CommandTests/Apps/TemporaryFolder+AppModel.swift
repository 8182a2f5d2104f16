import TestSupport

extension TemporaryFolder {
  /// Writes the model `App.xcdatamodeld` with one entity and returns its path.
  ///
  /// - Parameter versions: The attributes of each version as XML; the last one is the current version.
  func writeAppModel(entity: String, versions: [String]) throws -> String {
    let model = try makeFolder("App.xcdatamodeld")
    var name = ""
    for (number, attributes) in versions.enumerated() {
      name = number == 0 ? "App" : "App \(number + 1)"
      _ = try makeFolder("App.xcdatamodeld/\(name).xcdatamodel")
      let xml = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
        <entity name="\(entity)" representedClassName="\(entity)" syncable="YES">\(attributes)</entity></model>
        """
      try write(Array(xml.utf8), to: "App.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    let current = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(name).xcdatamodel</string></dict></plist>
      """
    try write(Array(current.utf8), to: "App.xcdatamodeld/.xccurrentversion")
    return model
  }
}
