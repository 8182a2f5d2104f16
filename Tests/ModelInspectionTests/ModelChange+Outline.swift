import DataModel
import ModelInspection

extension ModelChange {
  /// The change in short: `!` changes the version hash, `~` follows from another name.
  var outline: String {
    let place =
      switch subject {
      case .model: "model"
      case .configuration(let name): "configuration \(name)"
      case .fetchRequest(let name): "request \(name)"
      case .entity: "entity"
      case .attribute(let name): "attribute \(name)"
      case .relationship(let name): "relationship \(name)"
      case .fetchedProperty(let name): "fetched \(name)"
      case .fetchIndex(let name): "index \(name)"
      }
    let event =
      switch kind {
      case .added: "+"
      case .removed: "-"
      case .renamed(let name): "<- \(name)"
      case .changed(let aspect, let from, let to): "\(aspect.rawValue) \(from ?? "nil") -> \(to ?? "nil")"
      }
    return (entityName.map { "\($0) " } ?? "") + place + " " + event + (affectsVersionHash ? "!" : "")
      + (followsRenaming ? "~" : "")
  }
}
