// swift-format-ignore-file
//  The versions in an app's bundle, found with Foundation alone.

import Foundation

enum ModelVersions {
    static func urls(in bundle: Bundle, folder: String) -> [URL] {
        let urls = bundle.urls(forResourcesWithExtension: "xcdatamodel", subdirectory: folder) ?? []
        return urls.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    static func names(in url: URL, folder: String) -> [String] {
        let urls: [URL]? = Bundle.urls(forResourcesWithExtension: "xcdatamodel", subdirectory: folder, in: url)
        return (urls ?? []).map { $0.deletingPathExtension().lastPathComponent }.sorted()
    }
}
