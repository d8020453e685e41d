"""A job of runcast that is over, to be asked for."""

from children import wait_until


def finished_job(server):
    """Starts a short computation, waits for its end, and returns the job's path."""
    status, job = server.json("POST", "/v1/jobs", {"kind": "square-root-sum", "input": {"terms": 4}})
    if status != 202:
        raise RuntimeError(f"starting a job was answered with {status}: {job}")
    path = f"/v1/jobs/{job['jobID']}"
    wait_until(lambda: server.json("GET", path)[1]["state"] == "succeeded", "the job is over")
    return path
