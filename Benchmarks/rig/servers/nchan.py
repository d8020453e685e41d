"""nginx with Debian's nchan module, one worker; also nginx alone, for static files."""

import getpass
import os
from pathlib import Path

from children import wait_until
from servers.server import Server, Unavailable, program

MODULE = "modules/ngx_nchan_module.so"  # relative to nginx's prefix, as Debian lays it out
PREFIX = Path("/usr/share/nginx")


class Nchan(Server):
    name = "nchan"
    #: Bytes of the file at /static.
    static_bytes = 0
    has_module = True

    @classmethod
    def check(cls, rig):
        program("nginx", "nginx")
        if cls.has_module and not (PREFIX / MODULE).exists():
            raise Unavailable("nginx has no nchan (Debian: libnginx-mod-nchan)")

    def command(self):
        peers = self.rig.root / "Benchmarks" / "peers"
        text = (peers / "nginx.conf").read_text().format(
            user=getpass.getuser() if os.geteuid() == 0 else "nobody",
            folder=self.folder, descriptors=self.rig.descriptors, port=self.port,
            load_nchan=f"load_module {MODULE};" if self.has_module else "",
            shared_memory="nchan_shared_memory_size 1024M;" if self.has_module else "",
            nchan_locations=(peers / "nchan.conf").read_text().strip() if self.has_module else "",
        )  # fmt: skip
        configuration = self.folder / "nginx.conf"
        configuration.write_text(text)
        (self.folder / "static").write_bytes(json_of(self.static_bytes))
        return [program("nginx", "nginx"), "-e", self.folder / "error.log", "-c", configuration]

    def __enter__(self):
        super().__enter__()
        # The socket listens before the worker is there, whose CPU time is what counts.
        wait_until(lambda: len(self.child.pids()) == 2, "nginx has its worker")
        return self


class Nginx(Nchan):
    """Without nchan."""

    name = "nginx"
    has_module = False

    def __init__(self, rig, cores=None, static_bytes=0):
        super().__init__(rig, cores)
        self.static_bytes = static_bytes


def json_of(size):
    """A JSON object of so many bytes, if that is possible."""
    return b'{"pad":"' + b"x" * max(0, size - 10) + b'"}'
