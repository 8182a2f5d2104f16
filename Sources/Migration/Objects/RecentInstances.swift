internal import DataModel

/// Keeps the instances that were found last in memory.
///
/// What a policy has looked for once it tends to look for again, and nobody else holds an instance in between.
struct RecentInstances {
  /// A ring: the oldest makes room for the newest.
  private var instances: [ManagedObject] = []
  private var oldest = 0

  private let limit: Int
  /// Larger ones are read again, so that all of them together stay small.
  private let byteLimit: Int

  init(limit: Int = 8192, byteLimit: Int = 512) {
    (self.limit, self.byteLimit) = (limit, byteLimit)
  }

  mutating func keep(_ object: ManagedObject) {
    guard !object.isRecent else { return }
    let byteCount = object.attributeValues.reduce(0) { $0 + ($1?.byteCount ?? 0) }
    guard byteCount <= byteLimit else { return }
    object.isRecent = true
    if instances.count < limit { return instances.append(object) }
    instances[oldest].isRecent = false
    instances[oldest] = object
    oldest = (oldest + 1) % limit
  }
}
