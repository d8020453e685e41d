"""A storm of clients on one server, which is killed, stopped and started again in the middle of it.

What each client does comes from one seed; how they interleave does not repeat.
"""

import random
import threading
import time
import uuid

from durability_clients import Caller, Lives, follow, is_stopping
from durability_records import Cancel, Follower, History, Look, Publication, Start
from jobs import ENDLESS

TOPICS = ("storm/a", "storm/b", "storm/c")
JOBS = 4  # that all clients share
CLIENTS = 8
PATIENCE = 60  # seconds that anything may still take when the clients are done
AWAY = (0, 0, 0.05, 0.3)  # seconds after which a reader that has left is back
RUN_WATCHERS = 16  # at the same time
FINAL = "the storm is over"  # the last event of each topic, and the note of the last cancel of each job
SHORT, MEDIUM = 1, 3_000_000  # terms from which those that are to take about so long are counted
POLICIES = ("reject", "join", "replace", "replace", "queue", "queue")


def run_request(terms, **members):
    return {"input": {"terms": terms}, **members}


def job_request(terms, **members):
    return {"kind": "square-root-sum", **run_request(terms, **members)}


class Storm:
    def __init__(self, server, seed, operations, endings):
        """`endings`: for each time that the server is ended in the middle, whether it is killed."""
        self.history = History()
        self.lives = Lives(server, self.history.lives)
        self.random = random.Random(seed)
        self.operations, self.endings = operations, endings
        self.jobs = [self.new_id(self.random) for _ in range(JOBS)]
        self.runs_of = {job: [] for job in self.jobs}
        self.first_ids = {}  # by topic: where a reader of all that followed begins
        self.keys, self.tags = {}, {}
        self.done = 0  # operations, of all clients
        self.advanced = threading.Condition()
        self.watching = threading.Semaphore(RUN_WATCHERS)
        self.threads = []
        self.is_over = False

    def new_id(self, choose):
        return str(uuid.UUID(int=choose.getrandbits(128), version=4))

    def spawn(self, body, *arguments):
        def guarded():
            try:
                body(*arguments)
            except Exception as error:
                self.history.complaints.append(f"{body.__name__}: {error!r}")

        thread = threading.Thread(target=guarded, daemon=True)
        self.threads.append(thread)
        thread.start()
        return thread

    # What clients do

    def client(self, number, seed):
        choose, send = random.Random(seed), Caller(self.lives)
        verbs = {
            self.start_job: 4, self.put_job: 3, self.start_again: 8, self.repeat: 2, self.cancel: 5,
            self.publish: 8, self.look_at_job: 3, self.look_at_run: 3,
        }
        for _ in range(self.operations // CLIENTS):
            choose.choices(list(verbs), list(verbs.values()))[0](choose, send)
            with self.advanced:
                self.done += 1
                self.advanced.notify_all()

    def terms(self, choose, *bases):
        """A number of terms that no other start has: it tells what a run was started by."""
        base = choose.choice(bases)
        with self.advanced:
            number = len(self.history.asked)
            self.history.asked[base + number] = 0
        return base + number

    def started(self, choose, answer, terms):
        """Keeps what a start was told, and follows the run, perhaps."""
        receipt = answer.body
        if not receipt["started"]:
            return
        self.history.starts.append(
            Start(
                receipt["jobID"], receipt["runID"], receipt["ordinal"], receipt.get("replaces"), terms, answer.sent,
                answer.answered,
            )
        )
        self.runs_of.setdefault(receipt["jobID"], []).append(receipt["runID"])
        if choose.random() < 0.25:
            self.spawn(self.watch_run, choose.random(), receipt["jobID"], receipt["runID"])

    def start_job(self, choose, send):
        terms = self.terms(choose, SHORT, SHORT, MEDIUM)
        body = job_request(terms, **({"timeoutSeconds": 30} if choose.random() < 0.1 else {}))
        if choose.random() < 0.5:
            answer = send("POST", "/v1/jobs", body)
        else:
            key = self.new_id(choose)
            answer = send.until_answered("POST", "/v1/jobs", body, Idempotency_Key=key)
            self.remember(key, ("/v1/jobs", body), answer)
        if answer.is_lost or is_stopping(answer):
            return
        assert answer.status == 202, answer
        self.started(choose, answer, terms)

    def put_job(self, choose, send):
        job, terms = self.new_id(choose), self.terms(choose, SHORT, MEDIUM)
        answer = send.until_answered("PUT", f"/v1/jobs/{job}", job_request(terms))
        # 200: it was there before an answer that was lost.
        assert answer.status in (200, 201), answer
        self.remember(f"PUT {job}", (f"/v1/jobs/{job}", job_request(terms)), answer)
        answer.body["started"] = True
        self.started(choose, answer, terms)

    def start_again(self, choose, send):
        job, terms = choose.choice(self.jobs), self.terms(choose, SHORT, SHORT, MEDIUM, MEDIUM, ENDLESS)
        body = run_request(terms, onConflict=choose.choice(POLICIES))
        if choose.random() < 0.1:
            body["timeoutSeconds"] = 0.1
        path, key = f"/v1/jobs/{job}/runs", self.new_id(choose)
        is_keyed = choose.random() < 0.3
        answer = send.until_answered("POST", path, body, Idempotency_Key=key) if is_keyed else send("POST", path, body)
        if answer.is_lost or answer.status == 503 or answer.status == 409:
            return
        assert answer.status == (202 if answer.body["started"] else 200), answer
        if is_keyed:
            self.remember(key, (path, body), answer)
        self.started(choose, answer, terms)
        if old := answer.body.get("replaces"):
            result = send("GET", f"/v1/jobs/{job}/runs/{old}/result")
            assert result.status in (None, 409, 410), f"the result of the replaced run {old}: {result}"

    def remember(self, key, request, answer):
        self.history.repeated.setdefault(key, []).append(answer)
        self.keys[key] = request

    def repeat(self, choose, send):
        """A request of long ago, maybe of another life, once more."""
        known = list(self.keys.items())
        if not known:
            return
        key, (path, body) = choose.choice(known)
        if key.startswith("PUT "):
            answer = send("PUT", path, body)
        else:
            answer = send("POST", path, body, Idempotency_Key=key)
        if not answer.is_lost and not is_stopping(answer):
            self.history.repeated[key].append(answer)

    def cancel(self, choose, send):
        job = choose.choice(self.jobs)
        run = choose.choice(self.runs_of[job][-4:])
        body = {**({"runID": run} if choose.random() < 0.5 else {}), "force": choose.random() < 0.3}
        answer = send("POST", f"/v1/jobs/{job}/cancel", body)
        if answer.is_lost or answer.status in (409, 410) or is_stopping(answer):
            return
        receipt = answer.body
        assert answer.status == (202 if receipt["state"] == "cancelling" else 200), answer
        if not receipt["applied"]:
            return
        assert receipt["state"] in ("cancelling", "cancelled", "timedOut"), receipt
        self.history.cancels.append(
            Cancel(job, receipt["runID"], receipt["state"], answer.sent, answer.answered)
        )
        result = send("GET", f"/v1/jobs/{job}/runs/{receipt['runID']}/result")
        assert result.status in (None, 409, 410), f"the result of a cancelled run: {result}"

    def publish(self, choose, send, topic=None, data=None):
        topic = topic or choose.choice(TOPICS)
        data = data or {"by": self.new_id(choose)}
        body = {"data": data}
        if choose.random() < 0.2:
            body["id"] = f"own.{data['by']}"
        answer = send("POST", f"/v1/streams/{topic}", body)
        publication = Publication(topic, data, answer.sent)
        if not answer.is_lost and not is_stopping(answer):
            assert answer.status in (200, 201), answer
            publication.id, publication.answered = answer.body["id"], answer.answered
            assert "id" not in body or body["id"] == publication.id
        self.history.publications.append(publication)
        return publication

    def look_at_job(self, choose, send):
        job = choose.choice(self.jobs)
        tag, text = self.tags.get(job, (None, None))
        if_changed = {"If_None_Match": tag} if tag and choose.random() < 0.7 else {}
        answer = send("GET", f"/v1/jobs/{job}", **if_changed)
        if answer.is_lost:
            return
        if answer.status == 304:
            self.history.looks.append(Look(job, text, tag, answer.sent, answer.answered, is_unchanged=True))
            return
        assert answer.status == 200 and answer.tag, answer
        assert answer.body["state"] == answer.body["currentRun"]["state"]
        for run in answer.body["runs"]:
            assert ("result" in run) == (run["state"] == "succeeded"), run
        self.history.looks.append(Look(job, answer.body, answer.tag, answer.sent, answer.answered))
        self.tags[job] = (answer.tag, answer.body)

    def look_at_run(self, choose, send):
        job = choose.choice(list(self.runs_of))
        run = choose.choice(self.runs_of[job][-6:])
        answer = send("GET", f"/v1/jobs/{job}/runs/{run}")
        if answer.is_lost or answer.status == 410:
            return
        assert answer.status == 200, answer
        self.history.looks.append(Look(job, answer.body, None, answer.sent, answer.answered))

    # Who watches

    def keep(self, follower):
        self.history.followers.append(follower)

    def watch_run(self, seed, job, run):
        choose = random.Random(seed)
        leave_after = lambda: choose.choice([None, None, 2, 3, 5])
        path = f"/v1/jobs/{job}/runs/{run}/events"
        with self.watching:
            follow(
                self.lives, path, Follower((path,), job, run), self.keep, lambda event: False, leave_after,
                lambda: choose.choice(AWAY),
            )

    def watch_job(self, seed, job, is_restless):
        choose = random.Random(seed)
        is_last = lambda event: event[0] == "cancelled" and event[2].get("note") == FINAL
        leave_after = lambda: choose.randint(3, 60) if is_restless else None
        path = f"/v1/jobs/{job}/events"
        follow(
            self.lives, path, Follower((path,), job), self.keep, is_last, leave_after,
            lambda: choose.choice(AWAY), lambda: choose.random() < 0.05 and not self.is_over,
        )

    def watch_topics(self, seed, topics, is_restless, policy=None):
        choose, missing = random.Random(seed), {topic for topic in topics if topic in TOPICS}

        def is_last(event):
            name, _, data = event
            if len(topics) == 1:
                return data.get("final") == FINAL
            if isinstance(data.get("data"), dict) and data["data"].get("final") == FINAL:
                missing.discard(data["topic"])
            return not missing

        leave_after = lambda: choose.randint(2, 30) if is_restless else None
        query = f"policy={policy}" if policy else ""
        if len(topics) == 1:
            path = f"/v1/streams/{topics[0]}?{query}"
        else:
            path = "/v1/events?" + "&".join([f"topic={topic}" for topic in topics] + [query]).rstrip("&")
        follow(
            self.lives, path, Follower(topics, policy=policy or "all"), self.keep, is_last, leave_after,
            lambda: choose.choice(AWAY),
        )

    # All of it

    def run(self):
        send = Caller(self.lives)
        for job in self.jobs:
            terms = self.terms(self.random, SHORT)
            answer = send("PUT", f"/v1/jobs/{job}", job_request(terms))
            assert answer.status == 201, answer
            self.started(self.random, answer, terms)
        for topic in TOPICS:
            self.first_ids[topic] = self.publish(self.random, send, topic).id
        self.start_watchers()
        clients = [self.spawn(self.client, number, self.random.random()) for number in range(CLIENTS)]
        self.end_in_the_middle()
        for thread in clients:
            thread.join(PATIENCE)
        self.is_over = True
        self.finish(Caller(self.lives))
        for thread in self.threads:
            thread.join(PATIENCE)
            if thread.is_alive():
                self.history.complaints.append("a client or watcher still waits for something")

    def start_watchers(self):
        for job in self.jobs:
            for is_restless in (False, True):
                self.spawn(self.watch_job, self.random.random(), job, is_restless)
        for topic in TOPICS:
            for is_restless in (False, True):
                self.spawn(self.watch_topics, self.random.random(), (topic,), is_restless)
        self.spawn(self.watch_topics, self.random.random(), TOPICS[:1], False, "latest")
        for is_restless in (False, True):
            self.spawn(self.watch_topics, self.random.random(), (*TOPICS, "ticks"), is_restless)
            with_job = (*TOPICS[:2], f"jobs/{self.jobs[0]}", "ticks")
            self.spawn(self.watch_topics, self.random.random(), with_job, is_restless)

    def end_in_the_middle(self):
        """The endings are spread over the operations, each at a random one of its share."""
        total = self.operations // CLIENTS * CLIENTS
        share = total / (len(self.endings) + 1)
        for number, killing in enumerate(self.endings):
            due = share * (number + 0.5 + self.random.random())
            with self.advanced:
                assert self.advanced.wait_for(lambda due=due: self.done >= min(due, total), PATIENCE)
            self.lives.end(killing)

    def finish(self, send):
        """Ends what would not end by itself, and says so to those who watch."""
        for job in self.jobs:
            terms = self.terms(self.random, ENDLESS)
            answer = send("POST", f"/v1/jobs/{job}/runs", run_request(terms, onConflict="replace"))
            assert answer.status == 202, answer
            self.started(self.random, answer, terms)
            answer = send("POST", f"/v1/jobs/{job}/cancel", {"reason": FINAL})
            assert answer.status in (200, 202), answer
        for topic in TOPICS:
            assert self.publish(self.random, send, topic, {"by": self.new_id(self.random), "final": FINAL}).id
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = send("GET", "/v1/jobs?state=queued,running,cancelling&limit=1")
            if not answer.body["jobs"]:
                return
            assert time.monotonic() < deadline, f"still under way: {answer.body}"
            time.sleep(0.05)
