"""Publishers that are fast: several requests at a time, so that the server can record what they send together."""

import http.client
import json
from concurrent.futures import ThreadPoolExecutor

TIMEOUT = 30  # seconds for any one answer


def publish_all(server, topic, count, make=lambda number: {"data": {"n": number}}, publishers=8):
    """Publishes `count` events, in no particular order but that the first is the topic's first; returns their ids."""

    def publish(numbers):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
        ids = []
        for number in numbers:
            body = json.dumps(make(number))
            connection.request("POST", f"/v1/streams/{topic}", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status in (200, 201), (answer.status, text)
            ids.append(json.loads(text)["id"])
        connection.close()
        return ids

    first = publish([0])
    with ThreadPoolExecutor(publishers) as pool:
        shares = [range(share, count, publishers) for share in range(1, publishers + 1)]
        return first + [id for ids in pool.map(publish, shares) for id in ids]
