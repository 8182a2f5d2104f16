import Foundation

/// A disturbance of a migration at a call to the operating system.
struct Fault: Sendable {
  /// The kinds of calls that are counted, as `injector.c` names them.
  enum Kind: String, Sendable, CaseIterable {
    case write, name, sync, mode, read, open, look, lock, map, free, memory, start
  }

  /// What happens at the call.
  enum Action: Sendable {
    /// The process dies before the call or in the middle of a write.
    case death(isTorn: Bool)
    /// The call fails, and so do all later ones if the failure is persistent.
    case failure(Int32, lasts: Bool = false)
    /// Only half of the data is read or written, which a caller must handle.
    case half
    /// The process is stopped while another run takes place.
    case stop
  }

  let name: String
  let kinds: [Kind]
  let action: Action
  /// Whether consecutive writes to one file count as one call, because no program can distinguish them.
  var joinsWrites = false

  /// All calls that change files.
  static let changes: [Kind] = [.write, .name, .sync, .mode]

  static let all = [
    Fault(name: "death", kinds: changes, action: .death(isTorn: false)),
    Fault(name: "death in a write", kinds: [.write], action: .death(isTorn: true)),
    Fault(name: "stop", kinds: changes, action: .stop, joinsWrites: true),
    Fault(name: "EIO of a change", kinds: changes, action: .failure(EIO)),
    Fault(name: "ENOSPC of a change", kinds: [.write, .name], action: .failure(ENOSPC)),
    Fault(name: "ENOSPC from a change on", kinds: [.write, .name], action: .failure(ENOSPC, lasts: true)),
    Fault(name: "EIO from a change on", kinds: changes, action: .failure(EIO, lasts: true)),
    Fault(name: "EROFS from a change on", kinds: changes, action: .failure(EROFS, lasts: true)),
    Fault(name: "EIO of a read", kinds: [.read], action: .failure(EIO)),
    Fault(name: "EIO from a read on", kinds: [.read], action: .failure(EIO, lasts: true)),
    Fault(name: "half a read or write", kinds: [.read, .write], action: .half),
    Fault(name: "EIO of an open", kinds: [.open], action: .failure(EIO)),
    Fault(name: "EMFILE from an open on", kinds: [.open, .name], action: .failure(EMFILE, lasts: true)),
    Fault(name: "EIO of a look", kinds: [.look], action: .failure(EIO)),
    Fault(name: "EAGAIN of a lock", kinds: [.lock], action: .failure(EAGAIN)),
    Fault(name: "ENOLCK from a lock on", kinds: [.lock], action: .failure(ENOLCK, lasts: true)),
    Fault(name: "ENOMEM of a mapping", kinds: [.map], action: .failure(ENOMEM)),
    Fault(name: "EAGAIN of a thread", kinds: [.start], action: .failure(EAGAIN)),
    Fault(name: "EAGAIN from a thread on", kinds: [.start], action: .failure(EAGAIN, lasts: true)),
    Fault(name: "no memory", kinds: [.memory], action: .failure(ENOMEM)),
    Fault(name: "no memory any more", kinds: [.memory], action: .failure(ENOMEM, lasts: true)),
  ]

  /// The variables for `injector.c`.
  func variables(call: Int) -> [String: String] {
    var variables = ["KINDS": kinds.map(\.rawValue).joined(separator: ","), "CALL": "\(call)"]
    if joinsWrites { variables["RUNS"] = "1" }
    switch action {
    case .death(let isTorn): variables["ACTION"] = isTorn ? "tear" : "kill"
    case .half: variables["ACTION"] = "short"
    case .stop: variables["ACTION"] = "stop"
    case .failure(let number, let lasts):
      variables["ACTION"] = "\(number)"
      if lasts { variables["LASTING"] = "1" }
    }
    return variables
  }

  /// The exit statuses that a run may have.
  var statuses: [Int32?] { [66, 73, 74, 75] }

  /// Returns whether the fault can keep a run from cleaning up after itself.
  ///
  /// - Parameter call: The name of the call that failed.
  func mayHinderTidying(_ call: Substring) -> Bool {
    if case .failure(_, true) = action { return true }
    // The staging file belongs to the run that appears to hold its lock.
    if case .failure(EAGAIN, _) = action, call == "flock" { return true }
    return ["unlink", "rmdir"].contains(call) || kinds == [.look] || kinds == [.open] || kinds == [.memory]
  }
}
