import { Client } from "/runcast.js";
import { Calculator } from "./calculator.js";
import { ConnectionBadge } from "./connection-badge.js";
import { CurlLines, calculatorCommands, tickerCommands } from "./curl.js";
import { named, setText } from "./dom.js";
import { JobsList } from "./jobs-list.js";
import { JobsPoll } from "./jobs-poll.js";
import { TickerPanel } from "./ticker.js";

/**
 * A page that nobody sees gives its connections back after this many milliseconds: a browser allows six to
 * a server, and a few forgotten tabs would leave the next one waiting forever. A run started with "cancel
 * when I leave" keeps its connection: switching tabs isn't leaving.
 */
const hiddenGrace = 5_000;

const client = new Client();
const ticker = new TickerPanel(client);
const tickerCurl = new CurlLines(named("ticker-curl"));
const calculatorCurl = new CurlLines(named("calculator-curl"));
const serverBadge = new ConnectionBadge(named("server-connection"));

const calculator = new Calculator(client, {
  onJobChange: () => {
    rememberJob(calculator.jobID);
    poll.refresh();
    showJobs();
  },
  onRunChange: () => {
    poll.refresh();
    showCommands();
  },
});

const list = new JobsList({
  onOpen: (jobID) => {
    calculator.attach(jobID);
    named("calculator-title").focus();
  },
  onCancel: (job) => cancelJob(job),
});

const poll = new JobsPoll(client, {
  onJobs: (jobs, canShowMore) => {
    named("more-jobs").hidden = !canShowMore;
    showJobs();
    const attached = jobs.find((job) => job.jobID === calculator.jobID);
    if (attached?.currentRun) calculator.noticeRun(attached.currentRun.ordinal);
  },
  onConnection: (state) => serverBadge.show(state),
});

function showJobs() {
  list.show(poll.jobs, calculator.jobID);
}

function showCommands() {
  const { input, jobID, runID } = calculator;
  calculatorCurl.show(calculatorCommands(location.origin, { input, jobID, runID }));
}

async function cancelJob(job) {
  setText(named("jobs-error"), "");
  // The calculator's own guard has to know, or a late result could still show up there.
  if (job.jobID === calculator.jobID && job.currentRun.runID === calculator.runID) {
    await calculator.cancel();
  } else {
    await client
      .cancel(job.jobID, { runID: job.currentRun.runID })
      .catch((error) => setText(named("jobs-error"), `Not cancelled: ${error.message}`));
  }
  poll.refresh();
}

/** The attached job is part of the address: it survives a reload and can be passed on. */
function rememberJob(jobID) {
  const address = jobID === null ? location.pathname : `#job=${jobID}`;
  history.replaceState(null, "", address);
  showCommands();
}

function attachFromAddress() {
  const jobID = new URLSearchParams(location.hash.slice(1)).get("job");
  if (jobID !== null || calculator.jobID !== null) calculator.attach(jobID);
}

function enter() {
  ticker.resume();
  poll.resume();
  attachFromAddress();
}

function leave() {
  ticker.pause();
  poll.pause();
  calculator.leave();
}

let hiddenTimer;
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.visibilityState === "hidden") {
    hiddenTimer = setTimeout(() => {
      ticker.pause();
      poll.pause();
    }, hiddenGrace);
  } else {
    ticker.resume();
    poll.resume();
  }
});

addEventListener("hashchange", attachFromAddress);
addEventListener("pagehide", leave);
// Back from the back/forward cache: everything was closed when the page was left.
addEventListener("pageshow", (event) => {
  if (event.persisted) enter();
});
named("start-form").addEventListener("input", showCommands);
named("more-jobs").addEventListener("click", () => poll.showMore());

tickerCurl.show(tickerCommands(location.origin));
showCommands();
enter();
