import { decodeJSON } from "./json.js";

/** A request that the server refused, with what its problem+json (RFC 9457) says. */
export class RequestError extends Error {
  name = "RequestError";

  /**
   * @param {number} status the HTTP status
   * @param {Record<string, unknown>} problem the problem document; `{}` when the body was none
   * @param {number} [retryAfter] what `Retry-After` asks for, in milliseconds
   */
  constructor(status, problem, retryAfter) {
    super(String(problem.detail ?? problem.title ?? `The server answered ${status}.`));
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** The offending input's name (`terms`), without the path in front of it; `undefined` if there is none. */
  get field() {
    const path = this.problem.field;
    return typeof path === "string" ? path.split(/[./]/).pop() : undefined;
  }

  /** Whether the same request may succeed later: overload and the like, not a mistake in the request. */
  get isTransient() {
    return this.status >= 500 || [408, 425, 429].includes(this.status);
  }

  /**
   * Reads a refusal. Never throws: a body that isn't a problem document gives an empty one.
   *
   * @param {Response} response
   * @returns {Promise<RequestError>}
   */
  static async from(response) {
    let problem = {};
    try {
      const body = decodeJSON(await response.text());
      if (body !== null && typeof body === "object") problem = body;
    } catch {
      // An intermediary's page, or a body that broke off: the status alone has to do.
    }
    return new RequestError(response.status, problem, retryAfter(response.headers));
  }
}

/** `Retry-After` in milliseconds (RFC 9110, 10.2.3: seconds or a date). */
function retryAfter(headers) {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const wait = /^[0-9]+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
