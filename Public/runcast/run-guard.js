const terminalStates = ["succeeded", "failed", "cancelled", "timedOut", "lost"];

/** What a run may still say once its cancellation was asked for. */
const afterCancel = ["snapshot", "cancelRequested", "failed", "cancelled", "timedOut", "lost", "end"];

/** Whether a run in this state is over. */
export function isTerminal(state) {
  return terminalStates.includes(state);
}

/**
 * Decides which events of a job may be shown. The server never sends a stale result; this guard covers
 * the rest of the way: what was already in flight, buffered or replayed when the user acted.
 *
 * - Only the current run's events pass. A newer run (higher ordinal) becomes current when it starts, or
 *   as soon as it exists if the current one is over or superseded; an older one never comes back.
 * - After `askCancel()`, or a `cancelRequested` event, no progress and no success of that run passes,
 *   even if it arrives: whoever asked to cancel never sees a result pop up.
 * - After a terminal event of a run nothing but its `end` passes, and no event passes twice.
 *
 * One guard serves one job. Without an `adopt` the first run it meets becomes current. A pure value: no
 * clock, no I/O.
 */
export class RunGuard {
  #current = null;

  /** How many results were withheld because they came too late. */
  refusedResults = 0;

  /** The current run's ID, `null` while there is none. */
  get runID() {
    return this.#current?.runID ?? null;
  }

  /** Whether the current run's cancellation was asked for. */
  get isCancelAsked() {
    return this.#current?.isCancelAsked ?? false;
  }

  /**
   * Makes a run the current one, as the receipt of a start says. Adopting the current run again keeps
   * what is known of it; adopting an older one does nothing.
   *
   * @param {string} runID
   * @param {number} ordinal the run's number within its job, from 1
   */
  adopt(runID, ordinal) {
    if (this.#current?.runID === runID || ordinal < this.#current?.ordinal) return;
    this.#current = { runID, ordinal, lastSeq: 0, isCancelAsked: false, isSuperseded: false, isOver: false };
  }

  /** Call it the moment the user asks, before the request is sent. */
  askCancel() {
    if (this.#current !== null) this.#current.isCancelAsked = true;
  }

  /**
   * @param {string} type the event's name
   * @param {any} payload its data, with `runID`, `ordinal` and `seq`
   * @returns {any} the payload to show, `null` to show nothing
   */
  admit(type, payload) {
    if (typeof payload?.runID !== "string") return null;
    if (this.#supersedes(type, payload)) this.adopt(payload.runID, payload.ordinal);
    const run = this.#current;
    if (payload.runID !== run.runID) return this.#refuse(type);
    if (type === "snapshot") return this.#admitSnapshot(payload);
    if (payload.seq <= run.lastSeq) return null;
    run.lastSeq = payload.seq ?? run.lastSeq;

    if (run.isOver) return type === "end" ? payload : null;
    if (type === "cancelRequested") {
      run.isCancelAsked = true;
      run.isSuperseded = payload.reason === "superseded";
    }
    if (run.isCancelAsked && !afterCancel.includes(type)) return this.#refuse(type);
    run.isOver = isTerminal(type);
    return payload;
  }

  #supersedes(type, payload) {
    const run = this.#current;
    if (run === null) return true;
    if (!(payload.ordinal > run.ordinal)) return false;
    return run.isOver || run.isSuperseded || type === "started" || type === "snapshot";
  }

  #admitSnapshot(payload) {
    const run = this.#current;
    if (payload.state === "cancelling") run.isCancelAsked = true;
    if (run.isCancelAsked) {
      if (payload.state === "succeeded") return null;
      const { progress, result, ...rest } = payload;
      payload = rest;
    }
    run.isOver ||= isTerminal(payload.state);
    return payload;
  }

  #refuse(type) {
    if (type === "succeeded") this.refusedResults += 1;
    return null;
  }
}
