import CoreData

/// What the notes app's policy needs of an image on a platform without UIKit: the size, which a PNG says in its header.
final class UIImage: NSObject {
  let size: CGSize
  let data: Data

  init?(data: Data) {
    guard data.count >= 24, data.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
    let numbers = [16, 20].map { start in data[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    size = CGSize(width: numbers[0], height: numbers[1])
    self.data = data
  }
}

/// The notes app's transformer.
final class ImageTransformer: ValueTransformer {
  override class func allowsReverseTransformation() -> Bool { true }

  override func transformedValue(_ value: Any?) -> Any? { (value as? UIImage)?.data }

  override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap { UIImage(data: $0) } }
}
