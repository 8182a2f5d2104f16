public import Foundation

// What the plugin PolicySources makes of `urls(forResourcesWithExtension:…)`: with the result that Apple's Foundation has.
extension Bundle {
  /// The resources with an extension, such as the models in a `momd`.
  public func resourceURLs(
    forResourcesWithExtension ext: String?, subdirectory subpath: String?
  ) -> [URL]? {
    urls(forResourcesWithExtension: ext, subdirectory: subpath).map { $0.map { $0 as URL } }
  }

  /// The resources with an extension, of a localization.
  public func resourceURLs(
    forResourcesWithExtension ext: String?, subdirectory subpath: String?, localization localizationName: String?
  ) -> [URL]? {
    urls(forResourcesWithExtension: ext, subdirectory: subpath, localization: localizationName)
      .map { $0.map { $0 as URL } }
  }

  /// The resources with an extension, in a folder.
  public class func resourceURLs(
    forResourcesWithExtension ext: String?, subdirectory subpath: String?, in bundleURL: URL
  ) -> [URL]? {
    urls(forResourcesWithExtension: ext, subdirectory: subpath, in: bundleURL as NSURL).map { $0.map { $0 as URL } }
  }
}
