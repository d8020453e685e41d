/// What a subscriber that is slower than its topic gets.
public enum DeliveryPolicy: String, Sendable, CaseIterable {
    /// Only the newest pending event: older ones are conflated away.
    case latest
    /// Every event in order; what can't be had any more is reported as a gap.
    case all
}
