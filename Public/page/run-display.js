import { named, setText } from "./dom.js";
import { duration, percentage, roughNumber, shortID, wholeNumber } from "./format.js";

/** How often the elapsed time is redrawn, in milliseconds. */
const redrawInterval = 100;

/** Draws a run: its status in words, its progress, its rate and its elapsed time. */
export class RunDisplay {
  #view = { state: "idle" };
  #viewChangedAt = performance.now();
  #timer;

  /**
   * @param {import("./run-view.js").RunView} view
   * @param {{jobID: string|null, waiting: number, refusedResults: number}} counts
   */
  show(view, { jobID, waiting, refusedResults }) {
    if (view.lastEventAt !== this.#view.lastEventAt || view.runID !== this.#view.runID) {
      this.#viewChangedAt = performance.now();
    }
    this.#view = view;
    const status = named("status");
    setText(status, statusText(view));
    status.dataset.state = view.state;
    setText(named("job-name"), jobID === null ? "No job yet" : jobName(jobID, view));
    setText(named("waiting"), counted(waiting, "more run queued", "more runs queued"));
    setText(named("refused"), counted(refusedResults, "late result withheld", "late results withheld"));
    this.#showProgress();
    this.#redrawWhileRunning();
  }

  #showProgress() {
    const { progress, rate, state } = this.#view;
    const bar = named("progress");
    const fraction = progress?.total > 0 ? progress.current / progress.total : undefined;
    bar.value = fraction ?? 0;
    bar.dataset.state = state;
    setText(named("percentage"), fraction === undefined ? "–" : percentage(fraction));
    setText(named("terms-done"), progress ? amount(progress) : "–");
    setText(named("rate"), rate > 0 ? `${roughNumber(rate)} terms/s` : "–");
    this.#showElapsed();
  }

  #showElapsed() {
    const { startedAt, lastEventAt, state } = this.#view;
    if (startedAt === undefined) {
      setText(named("elapsed"), "–");
      return;
    }
    // Server times for what the server has said, this machine's clock only since then: the two may differ.
    const sinceLastEvent = isMoving(state) ? performance.now() - this.#viewChangedAt : 0;
    setText(named("elapsed"), duration(lastEventAt - startedAt + sinceLastEvent));
  }

  #redrawWhileRunning() {
    if (isMoving(this.#view.state)) this.#timer ??= setInterval(() => this.#showElapsed(), redrawInterval);
    else this.#timer = clearInterval(this.#timer);
  }
}

/** The status in words; a partial result is never among them. */
export function statusText({ state, result, reason, failure }) {
  switch (state) {
    case "idle":
      return "Ready";
    case "starting":
      return "Starting";
    case "queued":
      return "Queued";
    case "running":
      return "Calculating";
    case "cancelling":
      return "Cancellation requested";
    case "cancelled":
      return reason === "tooLate"
        ? "Cancelled too late: the run had finished, its result is not shown"
        : "Cancelled";
    case "succeeded":
      return `Result: ${typeof result === "object" ? JSON.stringify(result) : result}`;
    case "failed":
      return `Failed: ${failure ?? "no reason given"}`;
    case "timedOut":
      return "Timed out";
    case "lost":
      return "Lost: the server stopped while it ran";
    default:
      return state;
  }
}

function amount({ current, total }) {
  return total === undefined ? wholeNumber(current) : `${wholeNumber(current)} of ${wholeNumber(total)}`;
}

function counted(count, one, many) {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}

function isMoving(state) {
  return state === "running" || state === "cancelling";
}

function jobName(jobID, { ordinal }) {
  return `Job …${shortID(jobID)}${ordinal === undefined ? "" : `, run ${ordinal}`}`;
}
