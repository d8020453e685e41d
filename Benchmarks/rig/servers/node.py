"""node's own http module."""

from servers.server import Server, program


class Node(Server):
    name = "node"

    def __init__(self, rig, cores=None, static_bytes=64):
        super().__init__(rig, cores)
        self.static_bytes = static_bytes

    @classmethod
    def check(cls, rig):
        program("node", "nodejs")

    def command(self):
        server = self.rig.root / "Benchmarks" / "peers" / "node-server.mjs"
        return [program("node", "nodejs"), server, self.port, self.static_bytes]
