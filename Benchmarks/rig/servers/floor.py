"""The floor: a bare loop of send(2) in one thread, without anything that a real server must do."""

from servers.server import Server, Unavailable


class Floor(Server):
    name = "floor"

    @classmethod
    def check(cls, rig):
        if not rig.program("send-floor").exists():
            raise Unavailable("send-floor is not built: make -C Benchmarks/load")

    def command(self):
        return [self.rig.program("send-floor"), "--port", self.port]

    def subscribe_path(self, policy="all", topic="bench"):
        return f"/{topic}"

    publish_path = subscribe_path
