"""Jobs as a user of curl starts and watches them."""

from conftest import eventually
from curl import curl, post

ENDLESS = 9_000_000_000_000_000  # terms that no test waits for
TERMINAL = ("succeeded", "failed", "cancelled", "timedOut", "lost")


class Jobs:
    """Starts jobs at one server; `close` cancels what still runs, so that no worker stays busy."""

    def __init__(self, url):
        self.url = url
        self._started = []

    def start(self, terms, *arguments, **members):
        """Starts a new job and returns the reply."""
        reply = post(f"{self.url}/v1/jobs", request(terms, **members), *arguments)
        if reply.status in (201, 202):
            self._started.append(reply.json["jobID"])
        return reply

    def start_endless(self, **members):
        """Starts a job that computes until it is cancelled; returns its receipt once it runs."""
        receipt = self.start(ENDLESS, **members).json
        self.wait_for_state(receipt, "running")
        return receipt

    def again(self, receipt, terms=None, *arguments, **members):
        """Starts a further run of a job and returns the reply."""
        if terms is not None:
            members["input"] = {"terms": terms}
        return post(self.url + receipt["links"]["self"] + "/runs", members, *arguments)

    def cancel(self, receipt, **members):
        return post(self.url + receipt["links"]["cancel"], members)

    def job(self, receipt):
        return curl(self.url + receipt["links"]["self"]).json

    def run(self, receipt):
        return curl(self.url + receipt["links"]["run"]).json

    def result(self, receipt):
        return curl(self.url + receipt["links"]["result"])

    def wait_for_state(self, receipt, *states):
        """Waits until the receipt's run is in one of these states, and returns the run."""

        def run_in_state():
            run = self.run(receipt)
            return run if run["state"] in states else None

        return eventually(run_in_state)

    def wait_until_over(self, receipt):
        return self.wait_for_state(receipt, *TERMINAL)

    def adopt(self, job_id):
        """Has a job that was started otherwise cancelled at the end."""
        self._started.append(job_id)

    def close(self):
        for job_id in self._started:
            job = f"{self.url}/v1/jobs/{job_id}"
            while curl(job).json["state"] not in TERMINAL:
                post(f"{job}/cancel", {"force": True})


def request(terms, **members):
    return {"kind": "square-root-sum", "input": {"terms": terms}, **members}
