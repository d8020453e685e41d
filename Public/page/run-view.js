import { isTerminal } from "/runcast.js";

/**
 * What the page shows of one run. Immutable: `applied` returns the next view.
 *
 * @typedef {object} RunView
 * @property {string} state a run state of the API, or `idle` (no run yet), `starting` (request under way)
 * @property {string} [runID]
 * @property {number} [ordinal]
 * @property {{current: number, total?: number}} [progress] as numbers, exact to 53 bits
 * @property {number} [rate] units per second over the last reports
 * @property {number} [startedAt] server time, milliseconds since 1970
 * @property {number} [lastEventAt] server time of the newest event, milliseconds since 1970
 * @property {unknown} [result]
 * @property {string} [reason]
 * @property {string} [failure]
 */

/** @type {RunView} */
export const idleView = { state: "idle" };

/** Whether the run can still change, so that cancelling makes sense or a start would conflict. */
export function isLive(view) {
  return view.state !== "idle" && !isTerminal(view.state);
}

/**
 * The view after an event that the guard admitted. States only move forward: a reconnect replays what was
 * already shown, and must not make the page step back.
 *
 * @param {RunView} view
 * @param {string} type
 * @param {any} payload
 * @returns {RunView}
 */
export function applied(view, type, payload) {
  const base = view.runID === payload.runID ? view : { state: "starting" };
  const { runID, ordinal } = payload;
  const lastEventAt = milliseconds(payload.time) ?? base.lastEventAt;
  const next = { ...base, runID, ordinal, lastEventAt };
  switch (type) {
    case "snapshot":
      return {
        ...next,
        state: later(base.state, payload.state),
        reason: payload.reason ?? base.reason,
        result: payload.result ?? base.result,
        failure: payload.error?.message ?? base.failure,
        progress: payload.progress ? numbers(payload.progress) : base.progress,
        startedAt: milliseconds(payload.startedAt) ?? base.startedAt,
      };
    case "queued":
      return { ...next, state: later(base.state, "queued") };
    case "started":
      return { ...next, state: later(base.state, "running"), startedAt: milliseconds(payload.time) };
    case "progress":
      return { ...next, ...progressed(base, numbers(payload), lastEventAt) };
    case "cancelRequested":
      return { ...next, state: later(base.state, "cancelling"), reason: payload.reason };
    case "succeeded":
      return { ...next, state: "succeeded", result: payload.result, progress: completed(base.progress) };
    case "failed":
      return { ...next, state: "failed", failure: payload.error?.message ?? payload.error?.code };
    case "cancelled":
    case "timedOut":
    case "lost":
      return { ...next, state: type, reason: payload.reason };
    default:
      return next;
  }
}

/** The user asked to cancel: shown at once, whatever the server is about to say. */
export function cancelAsked(view) {
  return { ...view, state: later(view.state, "cancelling") };
}

const order = ["idle", "starting", "queued", "running", "cancelling"];

function later(known, reported) {
  if (isTerminal(known)) return known;
  if (isTerminal(reported)) return reported;
  return order.indexOf(reported) > order.indexOf(known) ? reported : known;
}

/** The rate is measured over at least this long, in milliseconds, so that it can be read. */
const rateWindow = 1_000;

function progressed(base, progress, time) {
  const mark = base.rateMark ?? { current: 0, time: base.startedAt };
  const elapsed = time - mark.time;
  const rate = elapsed > 0 ? ((progress.current - mark.current) * 1_000) / elapsed : undefined;
  if (elapsed < rateWindow) return { progress, rate: base.rate ?? rate };
  return { progress, rate, rateMark: { current: progress.current, time } };
}

function completed(progress) {
  return progress && { ...progress, current: progress.total ?? progress.current };
}

function numbers({ current, total }) {
  return { current: Number(current), total: total === undefined ? undefined : Number(total) };
}

function milliseconds(time) {
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? undefined : parsed;
}
