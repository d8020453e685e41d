"""Server-Sent Events with sse-starlette, as its users write it: a queue and a generator per subscriber.

Run by uvicorn. GET /subscribe/{topic}, POST /publish/{topic}.
"""

import asyncio
from collections import defaultdict
from itertools import count

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

PING_INTERVAL = 3600  # seconds; longer than any run, so that only events are measured

queues = defaultdict(set)
positions = count(1)


async def subscribe(request):
    members = queues[request.path_params["topic"]]
    queue = asyncio.Queue()
    # Here and not in the generator: that begins only after the head has been sent, and would miss an event.
    members.add(queue)

    async def events():
        try:
            while True:
                position, data = await queue.get()
                yield ServerSentEvent(data, id=str(position))
        finally:
            members.discard(queue)

    return EventSourceResponse(events(), ping=PING_INTERVAL)


async def publish(request):
    event = (next(positions), (await request.body()).decode())
    for queue in queues[request.path_params["topic"]]:
        queue.put_nowait(event)
    return JSONResponse({})


app = Starlette(
    routes=[
        Route("/subscribe/{topic:path}", subscribe),
        Route("/publish/{topic:path}", publish, methods=["POST"]),
    ]
)
