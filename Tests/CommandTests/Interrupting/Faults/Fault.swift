import Foundation

/// What befalls a migration at a call to the operating system.
struct Fault: Sendable {
  /// The kinds of calls that count, as `injector.c` names them.
  enum Kind: String, Sendable, CaseIterable {
    case write, name, sync, mode, read, open, look, lock, map, free, memory
  }

  /// What happens at the call.
  enum Action: Sendable {
    /// The process dies in front of the call, or in the middle of what it writes.
    case death(isTorn: Bool)
    /// The call fails, and all later ones too if that lasts.
    case failure(Int32, lasts: Bool = false)
    /// Half of what is wanted is read or written, which a caller has to put up with.
    case half
    /// The process is stopped, and another run comes meanwhile.
    case stop
  }

  let name: String
  let kinds: [Kind]
  let action: Action
  /// Whether writes to one file that follow each other are one call: nobody could tell between them.
  var joinsWrites = false

  /// Everything that changes files.
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

  /// What a run may end with.
  var statuses: [Int32?] { [66, 73, 74, 75] }

  /// Whether it can keep a run from tidying up after itself.
  ///
  /// - Parameter call: The name of the call that was struck.
  func mayHinderTidying(_ call: Substring) -> Bool {
    if case .failure(_, true) = action { return true }
    // The staging file belongs to the run that seems to hold its lock.
    if case .failure(EAGAIN, _) = action, call == "flock" { return true }
    return ["unlink", "rmdir"].contains(call) || kinds == [.look] || kinds == [.open] || kinds == [.memory]
  }
}
