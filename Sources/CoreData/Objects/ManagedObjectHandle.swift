internal import Migration

/// What a handle stands for: an instance of a context, or nothing yet.
public struct ManagedObjectHandle {
  let instance: ManagedObject?
  let entity: NSEntityDescription

  init(instance: ManagedObject?, entity: NSEntityDescription) {
    self.instance = instance
    self.entity = entity
  }
}

extension ManagedObject {
  /// The handle on this instance, made on first use: of the class that is asked for, or of the entity's own.
  func handle(as wanted: NSManagedObject.Type = NSManagedObject.self) -> NSManagedObject {
    if let facade, let handle = facade.takeUnretainedValue() as? NSManagedObject,
      wanted == NSManagedObject.self || type(of: handle) == wanted || handle.isKind(of: wanted)
    {
      return handle
    }
    let context = NSManagedObjectContext.facade(of: managedObjectContext)
    let entity = context.entity(of: self)
    let own = entity.instanceClass
    // A fetch for a parent's class finds instances of children, whose own class says more.
    let chosen = own == wanted || own.isSubclass(of: wanted) ? own : wanted
    let handle = chosen.init(ManagedObjectHandle(instance: self, entity: entity))
    facade = .passUnretained(handle)
    return handle
  }
}
