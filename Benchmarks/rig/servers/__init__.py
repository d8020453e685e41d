"""The servers that are compared, one module each."""

from servers.floor import Floor
from servers.nchan import Nchan
from servers.node import Node
from servers.redis import Redis
from servers.runcast import Runcast
from servers.starlette import SSEStarlette

ALL = (Floor, Runcast, Nchan, Node, SSEStarlette)
BY_NAME = {server.name: server for server in ALL}

__all__ = ["ALL", "BY_NAME", "Floor", "Nchan", "Node", "Redis", "Runcast", "SSEStarlette"]
