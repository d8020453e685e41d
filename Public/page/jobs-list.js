import { fromTemplate, named, setText } from "./dom.js";
import { duration, percentage, shortID, timeOfDay, wholeNumber } from "./format.js";

const stateWords = { timedOut: "timed out" };

const reasonWords = {
  user: "on request",
  superseded: "for a newer run",
  disconnected: "because its client left",
  shutdown: "because the server stopped",
};

/** Draws the list of jobs. Rows are kept by job, so that focus and selection survive an update. */
export class JobsList {
  #list = named("jobs");
  #rows = new Map();
  #actions;

  /**
   * @param {object} actions
   * @param {(jobID: string) => void} actions.onOpen
   * @param {(job: any) => void} actions.onCancel
   */
  constructor(actions) {
    this.#actions = actions;
  }

  /**
   * @param {any[]} jobs newest first
   * @param {string|null} attachedJobID
   */
  show(jobs, attachedJobID) {
    named("no-jobs").hidden = jobs.length > 0;
    const ids = new Set(jobs.map((job) => job.jobID));
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    jobs.forEach((job, index) => {
      const row = this.#rowFor(job);
      this.#fill(row, job, job.jobID === attachedJobID);
      // Moving an element drops the focus inside it, so only what stands in the wrong place moves.
      if (this.#list.children[index] !== row) this.#list.insertBefore(row, this.#list.children[index] ?? null);
    });
  }

  #rowFor(job) {
    const known = this.#rows.get(job.jobID);
    if (known) return known;
    const row = fromTemplate("job-row");
    row.dataset.jobId = job.jobID;
    named("job-open", row).addEventListener("click", () => this.#actions.onOpen(job.jobID));
    named("job-cancel", row).addEventListener("click", () => this.#actions.onCancel(row.job));
    this.#rows.set(job.jobID, row);
    return row;
  }

  #fill(row, job, isAttached) {
    const run = job.currentRun ?? {};
    const name = `job …${shortID(job.jobID)}`;
    row.job = job;
    if (isAttached) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    setText(named("job-id", row), `…${shortID(job.jobID)}`);
    named("job-id", row).title = job.jobID;
    setText(named("job-created", row), timeOfDay(run.createdAt ?? job.createdAt));
    setText(named("job-input", row), inputSummary(job));
    setText(named("job-run", row), `run ${run.ordinal ?? "–"}`);
    setText(named("job-outcome", row), outcome(run));
    const badge = named("job-state", row);
    setText(badge, stateWords[run.state] ?? run.state ?? "unknown");
    badge.dataset.state = run.state;
    const cancel = named("job-cancel", row);
    cancel.hidden = !["queued", "running"].includes(run.state);
    cancel.setAttribute("aria-label", `Cancel ${name}`);
    named("job-open", row).setAttribute("aria-label", `Open ${name}`);
  }
}

function inputSummary({ kind, input }) {
  if (kind === "square-root-sum" && input?.terms !== undefined) return `√1 + … + √${wholeNumber(input.terms)}`;
  return kind;
}

function outcome({ state, result, reason, progress, startedAt, finishedAt, error }) {
  const took = startedAt && finishedAt ? ` in ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}` : "";
  switch (state) {
    case "succeeded":
      return `= ${typeof result === "object" ? JSON.stringify(result) : result}${took}`;
    case "running":
    case "cancelling":
      return progress?.total > 0 ? percentage(Number(progress.current) / Number(progress.total)) : "";
    case "failed":
      return error?.message ?? reason ?? "";
    case "timedOut":
      return "";
    default:
      return reasonWords[reason] ?? reason ?? "";
  }
}
