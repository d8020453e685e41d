import { encodeJSON } from "/runcast.js";
import { fromTemplate, named, setText } from "./dom.js";

/** Shows curl lines for what a panel does, each with a button that copies it. */
export class CurlLines {
  #list;

  /** @param {HTMLElement} list an `ul` */
  constructor(list) {
    this.#list = list;
  }

  /** @param {{label: string, line: string}[]} commands */
  show(commands) {
    commands.forEach(({ label, line }, index) => {
      const row = this.#list.children[index] ?? this.#addRow();
      setText(named("curl-label", row), label);
      setText(named("curl-line", row), line);
      named("curl-copy", row).setAttribute("aria-label", `Copy: ${label}`);
    });
    while (this.#list.children.length > commands.length) this.#list.lastElementChild.remove();
  }

  #addRow() {
    const row = fromTemplate("curl-row");
    const line = named("curl-line", row);
    const button = named("curl-copy", row);
    button.addEventListener("click", async () => {
      setText(button, (await copied(line)) ? "Copied" : "Selected");
      setTimeout(() => setText(button, "Copy"), 1_500);
    });
    this.#list.append(row);
    return row;
  }
}

export function tickerCommands(origin) {
  return [
    { label: "Watch the ticker", line: `curl -N ${origin}/v1/streams/ticks` },
    { label: "Wait for one tick", line: `curl -N '${origin}/v1/streams/ticks?limit=1'` },
    { label: "See who is connected", line: `curl ${origin}/v1/subscriptions` },
    { label: "Stop all", line: `curl -X POST ${origin}/v1/streams/ticks/stop` },
    { label: "Start", line: `curl -X POST ${origin}/v1/streams/ticks/start` },
  ];
}

/** @param {{input: object|null, jobID: string|null, runID?: string}} calculation */
export function calculatorCommands(origin, { input, jobID, runID }) {
  const body = encodeJSON({ kind: "square-root-sum", input: input ?? { terms: 4 } });
  const json = `-H 'Content-Type: application/json' -d '${body}'`;
  const commands = [
    { label: "Start", line: `curl ${origin}/v1/jobs ${json}` },
    {
      label: "Start and watch; leaving cancels",
      line: `curl -N -H 'Accept: text/event-stream' '${origin}/v1/jobs?cancelOnDisconnect=true' ${json}`,
    },
  ];
  if (jobID === null) return commands;
  const job = `${origin}/v1/jobs/${jobID}`;
  commands.push(
    { label: "Watch this job", line: `curl -N ${job}/events` },
    { label: "Cancel it", line: `curl -X POST ${job}/cancel` },
  );
  if (runID) commands.push({ label: "Fetch the run's result", line: `curl ${job}/runs/${runID}/result` });
  return commands;
}

/** The clipboard exists only in secure contexts; elsewhere the line is selected, ready to be copied. */
async function copied(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return false;
  }
}
