import { Consumer } from "./consumer.js";
import { announce, named, setDisabled, setText } from "./dom.js";

/** The ticker panel: consumers A and B of one shared source, and the source's own Stop and Start. */
export class TickerPanel {
  #client;
  #consumers;
  #isStopped = false;

  /** @param {import("/runcast.js").Client} client */
  constructor(client) {
    this.#client = client;
    this.#consumers = ["A", "B"].map((name) => new Consumer(client, name, () => this.#consumerChanged()));
    named("consumers").append(...this.#consumers.map((consumer) => consumer.element));
    named("stop-all").addEventListener("click", () => this.#stop());
    named("start-all").addEventListener("click", () => this.#start());
    this.#show();
  }

  /** Subscribes what isn't cancelled or stopped. */
  resume() {
    for (const consumer of this.#consumers) consumer.resume();
  }

  /** Gives the connections back. */
  pause() {
    for (const consumer of this.#consumers) consumer.pause();
  }

  /** Ends the source, and with it every subscription of every client. */
  async #stop() {
    if (await this.#control("stop")) {
      this.#isStopped = true;
      for (const consumer of this.#consumers) consumer.stop();
      this.#show();
      announce("Ticker stopped");
    }
  }

  /** A fresh source; the consumers that the stop ended subscribe anew, a cancelled one stays cancelled. */
  async #start() {
    if (await this.#control("start")) {
      this.#isStopped = false;
      this.#show();
      for (const consumer of this.#consumers) if (consumer.state === "stopped") consumer.start();
      announce("Ticker started");
    }
  }

  async #control(verb) {
    setText(named("ticker-error"), "");
    try {
      await this.#client.controlSource("ticks", verb);
      return true;
    } catch (error) {
      setText(named("ticker-error"), `Could not ${verb} the ticker: ${error.message}`);
      return false;
    }
  }

  #consumerChanged() {
    if (this.#consumers.some((consumer) => consumer.state === "stopped")) this.#isStopped = true;
    this.#show();
  }

  #show() {
    const [stop, start] = [named("stop-all"), named("start-all")];
    setDisabled(this.#isStopped ? start : stop, false);
    setDisabled(this.#isStopped ? stop : start, true, this.#isStopped ? start : stop);
  }
}
