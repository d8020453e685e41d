/**
 * Runcast for the browser: start work, watch it live, cancel it, never show a stale result.
 *
 * No dependencies, no DOM. Use it from any page that the server serves, or that the server allows:
 *
 *     <script type="module">
 *       import { Client, RunGuard } from "/runcast.js";
 *
 *       const client = new Client();
 *       const ticks = client.subscribe("/v1/streams/ticks", {
 *         onEvent: (event) => console.log(event.type, event.json),
 *         onState: (state) => console.log(state.phase),
 *       });
 *       ticks.close(); // leaves at once; nothing is delivered afterwards
 *
 *       const guard = new RunGuard();
 *       const job = await client.startJob({ kind: "square-root-sum", input: { terms: 4 } });
 *       client.followJob(job.jobID, {
 *         onEvent: (event) => {
 *           const shown = guard.admit(event.type, event.json);
 *           if (shown?.result !== undefined) console.log(shown.result);
 *         },
 *       });
 *     </script>
 */
export { Client } from "./runcast/client.js";
export { EventStreamError, EventStreamParser } from "./runcast/event-stream-parser.js";
export { decodeJSON, encodeJSON } from "./runcast/json.js";
export { RequestError } from "./runcast/request-error.js";
export { RunGuard, isTerminal } from "./runcast/run-guard.js";
export { Subscription } from "./runcast/subscription.js";
