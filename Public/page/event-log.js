import { fromTemplate, named, setText } from "./dom.js";
import { timeOfDay } from "./format.js";

/** How many lines are kept; a longer log serves nobody and costs memory in a page left open. */
const maxLines = 100;

/** The events of the attached job as they came, newest first; of a withheld one only that it came. */
export class EventLog {
  #list;

  /** @param {HTMLElement} list an `ol` */
  constructor(list) {
    this.#list = list;
  }

  add(type, payload, isShown) {
    if (type === "snapshot" || payload?.seq === undefined) return;
    const line = this.#lineFor(type, payload, isShown);
    setText(named("log-time", line), timeOfDay(payload.time));
    setText(named("log-id", line), `${payload.ordinal}-${payload.seq}`);
    setText(named("log-type", line), isShown ? type : `${type} (withheld)`);
    setText(named("log-detail", line), isShown ? detail(type, payload) : "");
  }

  clear() {
    this.#list.replaceChildren();
  }

  /** Progress keeps one line while it goes on. */
  #lineFor(type, payload, isShown) {
    const newest = this.#list.firstElementChild;
    const key = `${type} ${payload.runID} ${isShown}`;
    if (type === "progress" && newest?.dataset.key === key) return newest;
    const line = fromTemplate("log-line");
    line.dataset.key = key;
    this.#list.prepend(line);
    while (this.#list.children.length > maxLines) this.#list.lastElementChild.remove();
    return line;
  }
}

function detail(type, payload) {
  switch (type) {
    case "progress":
      return payload.total === undefined ? String(payload.current) : `${payload.current} of ${payload.total}`;
    case "succeeded":
      return JSON.stringify(payload.result);
    case "failed":
      return payload.error?.message ?? "";
    default:
      return payload.reason ?? "";
  }
}
