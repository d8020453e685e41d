import { setText } from "./dom.js";

const words = {
  connecting: "Connecting",
  live: "Live",
  ended: "Ended",
  refused: "Refused",
  lost: "Connection lost",
  closed: "Not connected",
};

/** Shows in an element where a connection stands, counting down to the next attempt. */
export class ConnectionBadge {
  #element;
  #timer;

  /** @param {HTMLElement} element its `data-phase` carries the phase for the style sheet and the tests */
  constructor(element) {
    this.#element = element;
    this.show({ phase: "closed" });
  }

  /** @param {import("/runcast/subscription.js").SubscriptionState} state */
  show(state) {
    clearInterval(this.#timer);
    this.#element.dataset.phase = state.phase;
    this.#element.title = state.error?.message ?? "";
    if (state.phase !== "waiting") {
      setText(this.#element, words[state.phase]);
      return;
    }
    this.#countDown(state.retryAt);
    this.#timer = setInterval(() => this.#countDown(state.retryAt), 250);
  }

  #countDown(retryAt) {
    const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1_000));
    const prefix = navigator.onLine ? "" : "Offline, ";
    const text = `${prefix}reconnecting in ${seconds} s`;
    setText(this.#element, text[0].toUpperCase() + text.slice(1));
  }
}
