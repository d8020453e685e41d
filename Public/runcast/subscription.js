import { EventStreamParser } from "./event-stream-parser.js";
import { RequestError } from "./request-error.js";

/**
 * Where a subscription stands.
 *
 * @typedef {object} SubscriptionState
 * @property {"connecting"|"live"|"waiting"|"ended"|"refused"|"lost"|"closed"} phase
 *   - `connecting`: a request is under way
 *   - `live`: the stream is open
 *   - `waiting`: the connection was lost; the next attempt starts at `retryAt`
 *   - `ended`: the stream is over for good (`reason`); a reconnect would find nothing
 *   - `refused`: the server said no (`error`), and would again
 *   - `lost`: the connection broke and the request must not be repeated (anything but GET)
 *   - `closed`: `close()` was called
 * @property {number} [retryAt] milliseconds since 1970, in phase `waiting`
 * @property {string} [reason] in phase `ended`: what the `end` event said, or `"gone"` after a 204
 * @property {Error} [error] in the phases `waiting`, `refused` and `lost`
 */

const defaults = {
  /** First wait before a reconnect, in milliseconds, until the stream's `retry:` says otherwise. */
  retryDelay: 1_000,
  /** Longest wait before a reconnect, in milliseconds; a longer `retry:` or `Retry-After` wins. */
  maxRetryDelay: 30_000,
  /**
   * A stream silent for this many milliseconds is taken for dead and reconnected: three of the server's
   * heartbeats. It catches what no socket error tells, such as a laptop that slept.
   */
  silenceTimeout: 45_000,
};

/** What `setTimeout` can count, in milliseconds; it takes anything longer for nothing at all. */
const longestTimer = 2 ** 31 - 1;

/**
 * One subscription to a server-sent event stream: one connection at a time, one consumer, one cancel.
 *
 * Built on `fetch`, because `EventSource` can't do what Runcast's contract needs: it reconnects after the
 * stream's `end`, takes any 4xx or 5xx as final without showing the problem document, can't be asked for
 * a POST (start and watch in one request), and hides when it will try again.
 *
 * - After `end`, and after 204, it never reconnects.
 * - After any other loss it reconnects with `Last-Event-ID`. The wait doubles from the stream's `retry:`
 *   up to `maxRetryDelay`, and up to half is added at random, so that a restarted server isn't stormed.
 * - `close()` leaves at once: the connection is cut and no callback is called any more.
 *
 * Callbacks run one at a time, in the stream's order. One that throws is reported like any uncaught error
 * and doesn't disturb the stream.
 */
export class Subscription {
  #url;
  #options;
  #cut = new AbortController();
  #lastEventID;
  #retryDelay;
  #failures = 0;
  #end = null;
  #settle;

  /** @type {SubscriptionState} */
  state = { phase: "connecting" };

  /** Resolves with the final state: `ended`, `refused`, `lost` or `closed`. Never rejects. */
  closed = new Promise((resolve) => (this.#settle = resolve));

  /**
   * Connects at once.
   *
   * @param {string|URL} url
   * @param {object} [options]
   * @param {(event: import("./event-stream-parser.js").StreamEvent) => void} [options.onEvent]
   * @param {(state: SubscriptionState) => void} [options.onState] not called for the initial `connecting`,
   *   nor after `close()`
   * @param {(event: import("./event-stream-parser.js").StreamEvent) => boolean} [options.isEnd] which event
   *   ends the stream; by default `end`, unless it is the end of one of several topics
   * @param {string} [options.lastEventID] resume after this event
   * @param {RequestInit} [options.request] method, headers and body; anything but GET is sent only once
   * @param {AbortSignal} [options.signal] closes the subscription
   * @param {number} [options.retryDelay] see `defaults`, as the next two
   * @param {number} [options.maxRetryDelay]
   * @param {number} [options.silenceTimeout]
   */
  constructor(url, options = {}) {
    this.#url = url;
    this.#options = { isEnd: endsStream, ...defaults, ...options };
    this.#lastEventID = this.#options.lastEventID ?? "";
    this.#retryDelay = this.#options.retryDelay;
    options.signal?.addEventListener("abort", () => this.close(), { once: true });
    if (options.signal?.aborted) this.close();
    else this.#follow();
  }

  /** The id that a reconnect would resume after; `""` before the first. */
  get lastEventID() {
    return this.#lastEventID;
  }

  /** Cuts the connection. Safe to repeat, and to call from a callback. */
  close() {
    if (this.#cut.signal.aborted) return;
    this.#cut.abort();
    if (isFinal(this.state)) return;
    this.state = { phase: "closed" };
    this.#settle(this.state);
  }

  async #follow() {
    for (;;) {
      const state = await this.#connectOnce();
      if (this.#cut.signal.aborted) return;
      this.#enter(state);
      if (isFinal(state)) return;
      await this.#wait(state.retryAt - Date.now());
      if (this.#cut.signal.aborted) return;
      this.#enter({ phase: "connecting" });
    }
  }

  /** One connection, from request to loss; what follows from it. */
  async #connectOnce() {
    const attempt = new AbortController();
    const cut = () => attempt.abort();
    this.#cut.signal.addEventListener("abort", cut);
    const watchdog = new Watchdog(this.#options.silenceTimeout, cut);
    try {
      const response = await fetch(this.#url, this.#request(attempt.signal));
      if (response.status === 204) return { phase: "ended", reason: "gone" };
      if (!response.ok) throw await RequestError.from(response);
      if (!/^text\/event-stream(;|$)/i.test(response.headers.get("content-type") ?? "")) {
        throw new RequestError(response.status, { detail: "The server's answer is not an event stream." });
      }
      this.#enter({ phase: "live" });
      await this.#read(response.body, watchdog);
      if (this.#end !== null) return { phase: "ended", reason: this.#end };
      return this.#afterLoss(new Error("The stream broke off."));
    } catch (error) {
      if (this.#end !== null) return { phase: "ended", reason: this.#end };
      return this.#afterLoss(watchdog.hasFired ? new Error("The stream fell silent.") : error);
    } finally {
      watchdog.stop();
      this.#cut.signal.removeEventListener("abort", cut);
      attempt.abort();
    }
  }

  #request(signal) {
    const request = { cache: "no-store", ...this.#options.request, signal };
    request.headers = new Headers(this.#options.request?.headers);
    request.headers.set("Accept", "text/event-stream");
    if (this.#lastEventID !== "") request.headers.set("Last-Event-ID", this.#lastEventID);
    return request;
  }

  async #read(body, watchdog) {
    const parser = new EventStreamParser({ lastEventID: this.#lastEventID });
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watchdog.rearm();
      for (const event of parser.push(value)) {
        if (this.#cut.signal.aborted) return;
        this.#deliver(event);
        if (this.#end !== null) return;
      }
      this.#lastEventID = parser.lastEventID;
      this.#retryDelay = parser.retryDelay ?? this.#retryDelay;
    }
  }

  #deliver(event) {
    this.#failures = 0;
    this.#lastEventID = event.lastEventID;
    if (this.#options.isEnd(event)) this.#end = String(event.json?.reason ?? "done");
    call(this.#options.onEvent, event);
  }

  #afterLoss(error) {
    if (error instanceof RequestError && !error.isTransient) return { phase: "refused", error };
    const method = this.#options.request?.method ?? "GET";
    if (method.toUpperCase() !== "GET") {
      return { phase: error instanceof RequestError ? "refused" : "lost", error };
    }
    const ceiling = Math.max(this.#options.maxRetryDelay, this.#retryDelay);
    const delay = Math.min(this.#retryDelay * 2 ** this.#failures, ceiling);
    this.#failures += 1;
    const wait = Math.max(delay * (1 + Math.random() / 2), error.retryAfter ?? 0);
    return { phase: "waiting", retryAt: Date.now() + wait, error };
  }

  /** Ends early when the subscription is closed or the browser comes back online. */
  #wait(milliseconds) {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#cut.signal.removeEventListener("abort", finish);
        globalThis.removeEventListener?.("online", finish);
        resolve();
      };
      const timer = setTimeout(finish, Math.min(milliseconds, longestTimer));
      this.#cut.signal.addEventListener("abort", finish);
      globalThis.addEventListener?.("online", finish);
    });
  }

  #enter(state) {
    if (this.#cut.signal.aborted) return;
    this.state = state;
    if (isFinal(state)) this.#settle(state);
    call(this.#options.onState, state);
  }
}

/** Calls back once, when `rearm` hasn't been called for `timeout` milliseconds. */
class Watchdog {
  hasFired = false;
  #timeout;
  #onSilence;
  #timer;

  constructor(timeout, onSilence) {
    this.#timeout = timeout;
    this.#onSilence = onSilence;
    this.rearm();
  }

  rearm() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.hasFired = true;
      this.#onSilence();
    }, this.#timeout);
  }

  stop() {
    clearTimeout(this.#timer);
  }
}

/** On a connection with several topics each event is an envelope, and `end` may be one topic's. */
function endsStream(event) {
  return event.type === "end" && typeof event.json?.topic !== "string";
}

function isFinal(state) {
  return ["ended", "refused", "lost", "closed"].includes(state.phase);
}

function call(callback, argument) {
  try {
    callback?.(argument);
  } catch (error) {
    reportError(error);
  }
}
