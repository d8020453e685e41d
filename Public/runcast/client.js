import { decodeJSON, encodeJSON } from "./json.js";
import { RequestError } from "./request-error.js";
import { Subscription } from "./subscription.js";

/**
 * The REST side of Runcast. Each method sends one request and resolves with the decoded reply; it rejects
 * with `RequestError` when the server refuses and with `TypeError` when it can't be reached.
 */
export class Client {
  #base;

  /** @param {string} [base] the server's origin, without a closing slash; by default this page's */
  constructor(base = "") {
    this.#base = base;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [options]
   * @param {unknown} [options.json] the body, sent as JSON
   * @param {Record<string, string>} [options.headers]
   * @param {boolean} [options.keepalive] finish the request even if the page goes away (bodies to 64 KiB)
   * @param {AbortSignal} [options.signal]
   * @returns {Promise<any>} `undefined` for an empty reply
   */
  async send(method, path, { json, headers, keepalive, signal } = {}) {
    const response = await fetch(this.#base + path, {
      ...requestInit(method, json, { Accept: "application/json, application/problem+json", ...headers }),
      keepalive,
      signal,
    });
    if (!response.ok) throw await RequestError.from(response);
    const text = await response.text();
    return text === "" ? undefined : decodeJSON(text);
  }

  /**
   * Fetches what has changed since the reply that carried `etag`.
   *
   * @param {string} path
   * @param {string|null} etag `null` the first time
   * @returns {Promise<{body?: any, etag: string|null}>} without `body` if nothing has changed (304)
   */
  async fetchIfChanged(path, etag) {
    const headers = { Accept: "application/json", ...(etag === null ? {} : { "If-None-Match": etag }) };
    const response = await fetch(this.#base + path, { headers, cache: "no-store" });
    if (response.status === 304) return { etag };
    if (!response.ok) throw await RequestError.from(response);
    return { body: decodeJSON(await response.text()), etag: response.headers.get("etag") };
  }

  /**
   * Creates a job and starts its first run.
   *
   * @param {object} request
   * @param {string} request.kind
   * @param {unknown} request.input
   * @param {number} [request.timeoutSeconds]
   * @returns {Promise<{jobID: string, runID: string, ordinal: number, state: string, started: boolean}>}
   */
  startJob(request) {
    return this.send("POST", "/v1/jobs", { json: request, headers: onlyOnce() });
  }

  /**
   * Starts a job again.
   *
   * @param {string} jobID
   * @param {object} request
   * @param {unknown} [request.input] by default the last run's
   * @param {"reject"|"join"|"replace"|"queue"} [request.onConflict] what to do while a run is in progress
   */
  startRun(jobID, request) {
    return this.send("POST", `${jobPath(jobID)}/runs`, { json: request, headers: onlyOnce() });
  }

  /**
   * Asks to cancel a job's run; the run has stopped only when its stream says `cancelled`.
   *
   * @param {string} jobID
   * @param {object} [request]
   * @param {string} [request.runID] cancel this run or nothing
   * @param {string} [request.reason]
   * @param {boolean} [request.force] don't wait for the computation to notice
   * @param {{keepalive?: boolean}} [options]
   */
  cancel(jobID, request = {}, options = {}) {
    return this.send("POST", `${jobPath(jobID)}/cancel`, { json: request, ...options });
  }

  /** @param {"start"|"stop"} verb what to do with the topic's source */
  controlSource(topic, verb) {
    const name = topic.split("/").map(encodeURIComponent).join("/");
    return this.send("POST", `/v1/streams/${name}/${verb}`);
  }

  /**
   * Opens an event stream.
   *
   * @param {string} path
   * @param {ConstructorParameters<typeof Subscription>[1]} [options]
   */
  subscribe(path, options) {
    return new Subscription(this.#base + path, options);
  }

  /**
   * Starts a run and watches it in one request. The stream is pinned to that run and is never re-sent: if
   * the connection breaks, the state becomes `lost`, and `followJob` tells what became of the run.
   *
   * @param {string|null} jobID `null` creates a job
   * @param {object} request as for `startJob` or `startRun`
   * @param {object} options as for `subscribe`, and
   * @param {boolean} [options.cancelOnDisconnect] the server cancels the run when this connection ends,
   *   for whatever reason
   */
  startAndFollow(jobID, request, { cancelOnDisconnect = false, ...options } = {}) {
    const path = jobID === null ? "/v1/jobs" : `${jobPath(jobID)}/runs`;
    const query = cancelOnDisconnect ? "?cancelOnDisconnect=true" : "";
    return this.subscribe(path + query, { ...options, request: requestInit("POST", request, onlyOnce()) });
  }

  /**
   * Follows a job through all its runs. A run's `end` doesn't end this stream.
   *
   * @param {string} jobID
   * @param {ConstructorParameters<typeof Subscription>[1]} [options]
   */
  followJob(jobID, options) {
    const isEnd = (event) => event.type === "end" && typeof event.json?.runID !== "string";
    return this.subscribe(`${jobPath(jobID)}/events`, { isEnd, ...options });
  }
}

/** An ID may come from an address that somebody passed on: it must not lead to another path. */
function jobPath(jobID) {
  return `/v1/jobs/${encodeURIComponent(jobID)}`;
}

/** A JSON content type goes only where there is a body. */
function requestInit(method, json, headers) {
  if (json === undefined) return { method, headers };
  return { method, headers: { "Content-Type": "application/json", ...headers }, body: encodeJSON(json) };
}

/** Makes a start that gets repeated below the page (by a proxy, by the browser) start nothing twice. */
function onlyOnce() {
  // Not crypto.randomUUID(): browsers offer it only in secure contexts, so not on http://192.168.0.7.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { "Idempotency-Key": Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}
