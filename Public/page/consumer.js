import { ConnectionBadge } from "./connection-badge.js";
import { announce, fromTemplate, named, setDisabled, setText } from "./dom.js";

/**
 * One consumer of the ticker: a subscription of its own, with its own Cancel and Restart.
 *
 * Cancelling cuts this consumer's connection and nothing else; the server takes the end of a connection
 * for the end of its subscription. Restarting makes a new subscription, never revives the old one.
 */
export class Consumer {
  #client;
  #name;
  #onStateChange;
  #subscription = null;
  #badge;
  #elements;
  #received = 0;

  /** @type {"active"|"cancelled"|"stopped"|"paused"} */
  state = "paused";

  /**
   * @param {import("/runcast.js").Client} client
   * @param {string} name one letter, as in `Consumer A`
   * @param {() => void} onStateChange
   */
  constructor(client, name, onStateChange) {
    this.#client = client;
    this.#name = name;
    this.#onStateChange = onStateChange;
    this.element = fromTemplate("consumer");
    this.element.dataset.testid = `consumer-${name}`;
    const element = (part) => named(`consumer-${part}`, this.element);
    this.#elements = {
      title: element("title"),
      state: element("state"),
      value: element("value"),
      details: element("details"),
      cancel: element("cancel"),
      restart: element("restart"),
    };
    this.#badge = new ConnectionBadge(element("connection"));
    setText(this.#elements.title, `Consumer ${name}`);
    this.#elements.cancel.textContent = `Cancel ${name}`;
    this.#elements.restart.textContent = `Restart ${name}`;
    this.#elements.cancel.addEventListener("click", () => this.cancel());
    this.#elements.restart.addEventListener("click", () => this.start());
    this.#show();
  }

  /** Subscribes anew. Does nothing while active. */
  start() {
    if (this.state === "active") return;
    this.state = "active";
    this.#received = 0;
    setText(this.#elements.value, "Waiting");
    setText(this.#elements.details, "");
    const subscription = this.#client.subscribe("/v1/streams/ticks", {
      onEvent: (event) => this.#receive(event),
      onState: (state) => {
        this.#badge.show(state);
        if (state.phase === "ended") this.#leave("stopped");
        if (state.phase === "refused") this.#leave("stopped", state.error.message);
      },
    });
    this.#subscription = subscription;
    this.#badge.show(subscription.state);
    this.#show();
  }

  /** The user's cancel. The value stays as it is: what arrives later is dropped. */
  cancel() {
    if (this.state !== "active") return;
    this.#subscription.close();
    this.#badge.show({ phase: "closed" });
    this.#leave("cancelled");
  }

  /** The source has stopped: what this consumer's stream says too, maybe later than the stop's answer. */
  stop() {
    if (this.state !== "active") return;
    this.#subscription.close();
    this.#badge.show({ phase: "ended" });
    this.#leave("stopped");
  }

  /** Gives the connection back while nobody looks; `resume` subscribes anew. */
  pause() {
    if (this.state !== "active") return;
    this.#subscription.close();
    this.#badge.show({ phase: "closed" });
    this.#subscription = null;
    this.state = "paused";
    this.#show();
  }

  resume() {
    if (this.state === "paused") this.start();
  }

  #receive({ type, json, lastEventID }) {
    if (type === "subscribed") {
      this.element.dataset.subscription = json?.subscription ?? "";
    } else if (typeof json?.n === "number") {
      this.#received += 1;
      setText(this.#elements.value, `n=${json.n}, square=${json.square}`);
      setText(this.#elements.details, `${this.#received} received, last id ${lastEventID || "none"}`);
    }
  }

  #leave(state, detail = "") {
    this.#subscription = null;
    this.state = state;
    if (detail) setText(this.#elements.details, detail);
    this.#show();
    announce(`Consumer ${this.#name} ${state}`);
    this.#onStateChange();
  }

  #show() {
    const { state, cancel, restart } = this.#elements;
    setText(state, this.state);
    state.dataset.state = this.state;
    if (this.state === "active") {
      setDisabled(cancel, false);
      setDisabled(restart, true, cancel);
    } else {
      setDisabled(restart, false);
      setDisabled(cancel, true, restart);
    }
  }
}
