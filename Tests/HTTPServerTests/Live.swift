import Testing

/// The tests that open sockets, one after the other: some count what the process has open.
@Suite(.serialized) enum Live {}
