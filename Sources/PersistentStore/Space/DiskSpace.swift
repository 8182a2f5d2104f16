internal import SystemC

/// The space on the file system that a folder is on.
struct DiskSpace {
  /// The bytes that this process may still write.
  let free: Int64

  /// Asks the file system; `nil` where it does not tell.
  init?(ofFolder folder: String) {
    var status = statvfs()
    guard statvfs(folder, &status) == 0, status.f_blocks > 0, status.f_frsize > 0 else { return nil }
    // What is kept back is kept back for root.
    let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
    let (bytes, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    free = overflow ? .max : Int64(clamping: bytes)
  }

  /// A number of bytes for people: "512 bytes", "1.5 MiB".
  static func text(_ count: Int64) -> String {
    guard count >= 1024 else { return "\(count) bytes" }
    var (value, unit) = (Double(count) / 1024, "KiB")
    for next in ["MiB", "GiB", "TiB"] where value >= 1024 { (value, unit) = (value / 1024, next) }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}
