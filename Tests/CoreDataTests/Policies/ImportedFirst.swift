// swift-format-ignore-file
// The order of imports is the point.
import CoreData
import Foundation

enum ImportedFirst {
    static func isTrue(_ name: String) -> Bool {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Track")
        request.predicate = NSPredicate(format: "%@ == 'x' AND %d > 1 AND %@ != nil", name, 2, Date() as CVarArg)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let context: NSMutableDictionary = ["name": name]
        let expression = NSPropertyMapping().valueExpression
        let value = expression?.expressionValue(with: nil, context: context)
        return request.predicate?.evaluate(with: nil) == true && value == nil
    }
}
