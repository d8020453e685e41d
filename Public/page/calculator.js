import { ConnectionBadge } from "./connection-badge.js";
import { named, setDisabled, setText } from "./dom.js";
import { EventLog } from "./event-log.js";
import { JobFollower } from "./job-follower.js";
import { RunDisplay } from "./run-display.js";
import { isLive } from "./run-view.js";
import { StartForm } from "./start-form.js";

const kind = "square-root-sum";

/** The calculator panel: starts, watches and cancels the runs of one job at a time. */
export class Calculator {
  #follower;
  #form;
  #display = new RunDisplay();
  #log = new EventLog(named("event-log"));
  #badge = new ConnectionBadge(named("job-connection"));
  #onJobChange;
  #shownJobID = null;

  /**
   * @param {import("/runcast.js").Client} client
   * @param {object} callbacks
   * @param {() => void} callbacks.onJobChange another job is attached
   * @param {() => void} callbacks.onRunChange a run was started, or one changed its state
   */
  constructor(client, { onJobChange, onRunChange }) {
    this.#onJobChange = onJobChange;
    this.#follower = new JobFollower(client, {
      onChange: () => this.#show(),
      onConnection: (state) => {
        this.#badge.show(state);
        if (state.phase === "refused") this.#setError(state.error.message);
      },
      onEvent: (type, payload, isShown) => {
        this.#log.add(type, payload, isShown);
        if (type !== "progress") onRunChange();
      },
    });
    this.#form = new StartForm((request) => this.#start(request));
    named("cancel").addEventListener("click", () => this.cancel());
    named("new-job").addEventListener("click", () => {
      this.attach(null);
      this.#form.focus();
    });
    this.#show();
  }

  get jobID() {
    return this.#follower.jobID;
  }

  get runID() {
    return this.#follower.view.runID;
  }

  /** The input as the form has it now, for the curl lines; `null` while it can't be sent. */
  get input() {
    return this.#form.input;
  }

  /** Shows this job, whoever started it; `null` makes room for a new one. */
  attach(jobID) {
    this.#setError("");
    this.#follower.attach(jobID);
  }

  /** Tells of a run that the list of jobs has seen. */
  noticeRun(ordinal) {
    this.#follower.noticeRun(ordinal);
  }

  async cancel() {
    this.#setError("");
    try {
      await this.#follower.cancel();
    } catch (error) {
      this.#setError(`The cancellation did not get through: ${error.message}`);
    }
  }

  /** See `JobFollower.leave`. */
  leave() {
    this.#follower.leave();
  }

  async #start(request) {
    this.#setError("");
    try {
      await this.#follower.start({ kind, ...request });
    } catch (error) {
      if (!this.#form.showFieldError(error)) this.#setError(`Not started: ${error.message}`);
    }
  }

  #setError(text) {
    setText(named("calculator-error"), text);
  }

  #show() {
    const { view, jobID, waiting, refusedResults } = this.#follower;
    this.#display.show(view, { jobID, waiting, refusedResults });
    const canCancel = isLive(view) && view.state !== "cancelling";
    this.#form.show({ isLive: isLive(view) });
    setDisabled(named("cancel"), !canCancel, named("start"));
    setDisabled(named("new-job"), jobID === null || isLive(view), named("start"));
    if (jobID !== this.#shownJobID) {
      this.#shownJobID = jobID;
      this.#log.clear();
      this.#onJobChange();
    }
  }
}
