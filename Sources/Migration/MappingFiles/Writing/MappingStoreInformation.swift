/// What an `xcmapping.xml` says about itself as a store.
struct MappingStoreInformation {
  let identifier: String
  let lastObject: Int

  /// The version hashes of the entities of Xcode's mapping model editor, which have not changed since 2012.
  private static let versionHashes = [
    ("XDDevAttributeMapping", "0plcXXRN7XHKl5CcF+fwriFmUpON3ZtcI/AfK748aWc="),
    ("XDDevEntityMapping", "qeN1Ym3TkWN1G6dU9RfX6Kd2ccEvcDVWHpd3LpLgboI="),
    ("XDDevMappingModel", "EqtMzvRnVZWkXwBHu4VeVGy8UyoOe+bi67KC79kphlQ="),
    ("XDDevPropertyMapping", "XN33V44TTGY4JETlMoOB5yyTKxB+u4slvDIinv0rtGA="),
    ("XDDevRelationshipMapping", "akYY9LhehVA/mCb4ATLWuI9XGLcjpm14wWL1oEBtIcs="),
  ]

  private static let versionHashesDigest =
    "+Hmc2uYZK6og+Pvx5GUJ7oW75UG4V/ksQanTjfTKUnxyGWJRMtB5tIRgVwGsrd7lz/QR57++wbvWsr6nxwyS0A=="

  /// The beginning of the document, up to the first object.
  var header: String {
    let hashes = Self.versionHashes.map { name, hash in
      """
                              <key>\(name)</key>
                              <data>
      \t\t\(hash)
      \t\t</data>

      """
    }
    return """
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>134481920</version>
              <UUID>\(identifier)</UUID>
              <nextObjectID>\(lastObject)</nextObjectID>
              <metadata>
                  <plist version="1.0">
                      <dict>
                          <key>NSPersistenceFrameworkVersion</key>
                          <integer>1044</integer>
                          <key>NSStoreModelVersionHashes</key>
                          <dict>
      \(hashes.joined())\
                          </dict>
                          <key>NSStoreModelVersionHashesDigest</key>
                          <string>\(Self.versionHashesDigest)</string>
                          <key>NSStoreModelVersionHashesVersion</key>
                          <integer>3</integer>
                          <key>NSStoreModelVersionIdentifiers</key>
                          <array>
                              <string></string>
                          </array>
                      </dict>
                  </plist>
              </metadata>
          </databaseInfo>

      """
  }
}
