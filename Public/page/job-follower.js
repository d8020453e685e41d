import { RunGuard, isTerminal } from "/runcast.js";
import { applied, cancelAsked, idleView, isLive } from "./run-view.js";

/**
 * Follows one job: starts its runs, cancels them, and keeps the view of the current one.
 *
 * Cancel when leaving: a start with `cancelOnLeave` is one POST that also carries the run's stream, its
 * *lease*: the server cancels the run when that connection ends. This needs no code at the moment of
 * leaving, so it also holds when the tab crashes, the browser is killed or the machine goes down; a beacon
 * on `pagehide` holds for none of these. A run that waits behind another gets no lease (a browser allows
 * six connections to a server): only for those `leave` sends a cancel that outlives the page.
 *
 * A lease's stream is pinned to its run. Whatever else there is to see comes from the job's own stream,
 * which is open only while a run is live.
 */
export class JobFollower {
  #client;
  #callbacks;
  #guard = new RunGuard();
  #refusedEarlier = 0;
  #source = null;
  #leases = new Set();
  #waitingRuns = new Map();
  #isStarting = false;
  #isCancelPending = false;

  /** @type {string|null} */
  jobID = null;
  /** @type {import("./run-view.js").RunView} */
  view = idleView;

  /**
   * @param {import("/runcast.js").Client} client
   * @param {object} callbacks
   * @param {() => void} callbacks.onChange the view, the job or the counts changed
   * @param {(state: import("/runcast/subscription.js").SubscriptionState) => void} callbacks.onConnection
   * @param {(type: string, payload: any, isShown: boolean) => void} callbacks.onEvent each event of the job,
   *   also those that are withheld
   */
  constructor(client, callbacks) {
    this.#client = client;
    this.#callbacks = callbacks;
  }

  /** How many late results were withheld. */
  get refusedResults() {
    return this.#refusedEarlier + this.#guard.refusedResults;
  }

  /** How many runs wait behind the current one, as far as this page saw them queue. */
  get waiting() {
    return this.#waitingRuns.size;
  }

  /**
   * Shows another job, or none. Leases of other jobs stay open: looking elsewhere isn't leaving.
   *
   * @param {string|null} jobID
   */
  attach(jobID) {
    if (jobID !== null && jobID === this.jobID) {
      if (this.#source === null) this.#followJob();
      return;
    }
    this.#stopFollowing();
    this.#become(jobID);
    this.view = idleView;
    if (jobID === null) this.#callbacks.onConnection({ phase: "closed" });
    else this.#followJob();
    this.#callbacks.onChange();
  }

  /** Looks at the attached job again, because elsewhere a run of it with this ordinal was seen. */
  noticeRun(ordinal) {
    if (this.#source === null && !this.#isStarting && ordinal > (this.view.ordinal ?? 0)) this.#followJob();
  }

  /**
   * Starts a run of the attached job, or a new job.
   *
   * @param {{kind: string, input: unknown, onConflict: string, cancelOnLeave: boolean}} request
   * @throws {import("/runcast.js").RequestError} the server refused; what is shown stays as it was
   * @throws {TypeError} the server can't be reached
   */
  async start(request) {
    const previous = this.view;
    const wasLive = isLive(previous);
    this.#isStarting = true;
    if (!wasLive) this.#show({ state: "starting" });
    try {
      await this.#send(request, wasLive).catch((error) => {
        // The server dropped the job, or restarted without its memory: start afresh.
        if (error.status !== 404 || this.jobID === null || wasLive) throw error;
        this.#become(null);
        return this.#send(request, false);
      });
    } catch (error) {
      this.#isCancelPending = false;
      if (!wasLive) this.#show(previous);
      throw error;
    } finally {
      this.#isStarting = false;
    }
    // The user was faster than the server's answer.
    if (this.#isCancelPending) await this.cancel();
  }

  /**
   * Asks to cancel the current run, or the one that is being started. From this moment no progress and no
   * result of it is shown.
   *
   * @throws {import("/runcast.js").RequestError|TypeError} it can be asked for again
   */
  async cancel() {
    this.#guard.askCancel();
    this.#show(cancelAsked(this.view));
    this.#isCancelPending = this.#isStarting;
    if (this.#isStarting) return;

    const runID = this.#guard.runID;
    const answer = await this.#client.cancel(this.jobID, { runID });
    if (answer?.state === "succeeded" && this.#guard.runID === runID) {
      this.#show({ ...this.view, state: "cancelled", reason: "tooLate" });
    }
  }

  /** Ends every connection, and with them the runs that were to be cancelled when leaving. */
  leave() {
    for (const lease of this.#leases) lease.close();
    this.#leases.clear();
    this.#stopFollowing();
    for (const [runID, isCancelledOnLeave] of this.#waitingRuns) {
      if (isCancelledOnLeave) this.#client.cancel(this.jobID, { runID }, { keepalive: true }).catch(() => {});
    }
  }

  async #send({ kind, input, onConflict, cancelOnLeave }, wasLive) {
    const jobID = this.jobID;
    const body = jobID === null ? { kind, input } : { input, onConflict };
    const joinsOrWaits = wasLive && ["join", "queue"].includes(onConflict);
    if (cancelOnLeave && !joinsOrWaits) return await this.#startOnLease(jobID, body);

    const receipt = await (jobID === null ? this.#client.startJob(body) : this.#client.startRun(jobID, body));
    if (wasLive && onConflict === "queue" && receipt.state === "queued") {
      this.#waitingRuns.set(receipt.runID, cancelOnLeave);
      this.#callbacks.onChange();
      return;
    }
    this.#adopt(receipt);
    if (this.#source === null) this.#followJob();
  }

  /** Resolves when the server has taken the start: at the first event of the run. */
  #startOnLease(jobID, body) {
    return new Promise((resolve, reject) => {
      const lease = this.#client.startAndFollow(jobID, body, {
        cancelOnDisconnect: true,
        onEvent: ({ type, json: payload }) => {
          if (typeof payload?.runID !== "string") return;
          if (lease.jobID === undefined) {
            lease.jobID = payload.jobID;
            this.#stopFollowing();
            this.#source = lease;
            this.#adopt(payload);
            this.#callbacks.onConnection(lease.state);
            resolve();
          }
          this.#receive(type, payload);
        },
        onState: (state) => {
          if (state.phase === "live") return;
          this.#leases.delete(lease);
          reject(state.error ?? new Error("The run ended before it began."));
          if (this.#source !== lease) return;
          this.#source = null;
          this.#callbacks.onConnection(state);
          if (isLive(this.view) || this.waiting > 0) this.#followJob();
        },
      });
      this.#leases.add(lease);
    });
  }

  #adopt({ jobID, runID, ordinal, state }) {
    this.#become(jobID);
    this.#guard.adopt(runID, ordinal);
    if (this.#guard.runID !== runID) return;
    this.#waitingRuns.delete(runID);
    if (this.#isCancelPending) this.#guard.askCancel();
    if (this.view.runID === runID) return;
    this.#show({ state: this.#isCancelPending ? "cancelling" : (state ?? "starting"), runID, ordinal });
  }

  #become(jobID) {
    if (this.jobID === jobID) return;
    this.jobID = jobID;
    this.#refusedEarlier = this.refusedResults;
    this.#guard = new RunGuard();
    this.#waitingRuns.clear();
  }

  #followJob() {
    const source = this.#client.followJob(this.jobID, {
      onEvent: (event) => this.#receive(event.type, event.json),
      onState: (state) => {
        if (state.phase === "refused" || state.phase === "ended") this.#source = null;
        this.#callbacks.onConnection(state);
        // The server has restarted without its memory, or dropped the job: nobody knows how it ended.
        if ([404, 410].includes(state.error?.status) && isLive(this.view)) {
          this.#show({ ...this.view, state: "lost", reason: "forgotten" });
        }
      },
    });
    this.#source = source;
    this.#callbacks.onConnection(source.state);
  }

  #stopFollowing() {
    const source = this.#source;
    this.#source = null;
    if (source !== null && !this.#leases.has(source)) source.close();
  }

  #receive(type, payload) {
    if (this.jobID === null || payload?.jobID !== this.jobID) return;
    const shown = this.#guard.admit(type, payload);
    this.#trackWaiting(type, payload);
    if (shown !== null) this.view = applied(this.view, type, shown);
    this.#callbacks.onEvent(type, payload, shown !== null);
    this.#callbacks.onChange();
    const isDone = (isTerminal(type) || type === "end") && isTerminal(this.view.state) && this.waiting === 0;
    if (!isDone || this.#source === null || this.#leases.has(this.#source) || this.#isStarting) return;
    this.#stopFollowing();
    this.#callbacks.onConnection({ phase: "ended", reason: "done" });
  }

  #trackWaiting(type, { runID, ordinal }) {
    if (runID === this.#guard.runID || isTerminal(type)) this.#waitingRuns.delete(runID);
    else if (type === "queued" && ordinal > (this.view.ordinal ?? 0) && !this.#waitingRuns.has(runID)) {
      this.#waitingRuns.set(runID, false);
    }
  }

  #show(view) {
    this.view = view;
    this.#callbacks.onChange();
  }
}
