/// A source that clients may start and stop. Both return whether something has changed.
protocol ControllableSource: Sendable {
    func start() async -> Bool
    func stop() async -> Bool
}
