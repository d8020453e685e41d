"""Raw results on disk: one JSON file per scenario, from which the report can be made without a run."""

import json

FORMAT = 1  # of the files; raised when a reader of older ones would misread them


def save(folder, scenario, machine, effort, began, seconds, runs):
    """`began`: ISO 8601 in UTC. Replaces the scenario's file in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "format": FORMAT, "scenario": scenario, "effort": effort, "began": began,
        "seconds": round(seconds, 1), "machine": machine, "runs": runs,
    }  # fmt: skip
    fresh = folder / f"{scenario}.json.new"
    fresh.write_text(json.dumps(content, indent=1) + "\n")
    fresh.replace(folder / f"{scenario}.json")


def read(folder, scenario):
    """What `save` wrote; None if that scenario has not been measured, or in another format."""
    path = folder / f"{scenario}.json"
    if not path.exists():
        return None
    content = json.loads(path.read_text())
    return content if content.get("format") == FORMAT else None
