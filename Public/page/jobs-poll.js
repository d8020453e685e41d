import { RequestError } from "/runcast.js";

/** Jobs to ask for: at first, and at most. */
const page = { size: 20, maxSize: 100 };

/** Milliseconds between two looks at the list. */
const intervals = { live: 1_000, idle: 5_000, longestAfterFailure: 30_000 };

/**
 * Keeps the newest jobs at hand by asking for them: one short request at a time, answered 304 while nothing
 * has changed, more often while something runs, never while nobody looks. A stream would hold one more of
 * the browser's six connections for a list that few watch.
 */
export class JobsPoll {
  #client;
  #callbacks;
  #limit = page.size;
  #etag = null;
  #timer;
  #failures = 0;
  #isAsking = false;
  #isDue = false;
  #isPaused = true;

  /** @type {any[]} newest first */
  jobs = [];


  /**
   * @param {import("/runcast.js").Client} client
   * @param {object} callbacks
   * @param {(jobs: any[], canShowMore: boolean) => void} callbacks.onJobs
   * @param {(state: import("/runcast/subscription.js").SubscriptionState) => void} callbacks.onConnection
   */
  constructor(client, callbacks) {
    this.#client = client;
    this.#callbacks = callbacks;
    addEventListener("online", () => this.refresh());
  }

  resume() {
    this.#isPaused = false;
    this.refresh();
  }

  pause() {
    this.#isPaused = true;
    clearTimeout(this.#timer);
  }

  /** Asks for another page's worth of older jobs. */
  showMore() {
    this.#limit = Math.min(this.#limit + page.size, page.maxSize);
    this.#etag = null;
    this.refresh();
  }

  /** Asks now, or again as soon as the request under way is answered. */
  async refresh() {
    if (this.#isPaused) return;
    this.#isDue = this.#isAsking;
    if (this.#isAsking) return;
    clearTimeout(this.#timer);
    this.#isAsking = true;
    const delay = await this.#ask();
    this.#isAsking = false;
    if (this.#isPaused) return;
    if (this.#isDue) this.refresh();
    else this.#timer = setTimeout(() => this.refresh(), delay);
  }

  async #ask() {
    try {
      const { body, etag } = await this.#client.fetchIfChanged(`/v1/jobs?limit=${this.#limit}`, this.#etag);
      if (body !== undefined) {
        this.#etag = etag;
        this.jobs = body.jobs;
        this.#callbacks.onJobs(body.jobs, body.next !== undefined && this.#limit < page.maxSize);
      }
      this.#failures = 0;
      this.#callbacks.onConnection({ phase: "live" });
      return this.jobs.some((job) => isMoving(job.currentRun?.state)) ? intervals.live : intervals.idle;
    } catch (error) {
      this.#failures += 1;
      const backoff = Math.min(intervals.live * 2 ** (this.#failures - 1), intervals.longestAfterFailure);
      const requested = error instanceof RequestError ? (error.retryAfter ?? 0) : 0;
      const delay = Math.max(backoff * (1 + Math.random() / 2), requested);
      this.#callbacks.onConnection({ phase: "waiting", retryAt: Date.now() + delay, error });
      return delay;
    }
  }
}

function isMoving(state) {
  return ["queued", "running", "cancelling"].includes(state);
}
