internal import DataModel

/// Keeps the instances that were found last in memory.
///
/// What a policy has looked for once it tends to look for again, and nobody else holds an instance in between.
struct RecentInstances {
  /// A ring: the oldest makes room for the newest.
  private var instances: [ManagedObject?] = []
  private var oldest = 0

  private let limit: Int
  /// Larger ones are read again, so that all of them together stay small.
  private let byteLimit: Int

  init(limit: Int = 8192, byteLimit: Int = 512) {
    (self.limit, self.byteLimit) = (limit, byteLimit)
  }

  /// Keeps an instance, which may not have been read yet.
  mutating func keep(_ object: ManagedObject) {
    guard object.recentPlace == nil, isSmall(object) else { return }
    if instances.count < limit {
      object.recentPlace = instances.count
      return instances.append(object)
    }
    instances[oldest]?.recentPlace = nil
    object.recentPlace = oldest
    instances[oldest] = object
    oldest = (oldest + 1) % limit
  }

  /// Lets go of an instance that turned out to be large, now that it was read.
  mutating func wasRead(_ object: ManagedObject) {
    guard let place = object.recentPlace, !isSmall(object) else { return }
    object.recentPlace = nil
    instances[place] = nil
  }

  private func isSmall(_ object: ManagedObject) -> Bool {
    object.attributeValues.reduce(0) { $0 + ($1?.byteCount ?? 0) } <= byteLimit
  }
}
